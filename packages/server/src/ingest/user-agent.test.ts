import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { userAgent } from '../platform/product.ts';
import { fakeFeed, fakeLookup, fakeResource, oiBody } from './testing/fake-venue.ts';
import { startRig } from './testing/rig.ts';

test('names the program, its version and where to read about it', () => {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version, homepage } = JSON.parse(file) as { version: string; homepage: string };
  expect(userAgent).toBe(`crosstape/${version} (+${homepage})`);
  expect(new URL(homepage).protocol).toBe('https:');
});

test("is sent with every request and every handshake, next to a feed's own headers", async () => {
  const agents = new Map<string, string | undefined>();
  const rig = await startRig({
    resources: [fakeResource()],
    lookups: [fakeLookup({ name: 'by-key', gives: ['positioning'], keys: () => ['BTC'] })],
    feeds: [fakeFeed({ headers: { 'x-format': 'json' } })],
    coins: ['BTC'],
    prepare: (venue) => {
      venue.answer = ({ url = '', headers }, response) => {
        agents.set(url, headers['user-agent']);
        response.end(oiBody(1));
      };
    },
  });
  await rig.passUntil(() => agents.size === 2 && rig.venue.handshakes.length === 1, 3_000);
  expect([...agents.values()]).toEqual([userAgent, userAgent]);
  expect(rig.venue.handshakes).toMatchObject([{ 'user-agent': userAgent, 'x-format': 'json' }]);
  await rig.stop();
});
