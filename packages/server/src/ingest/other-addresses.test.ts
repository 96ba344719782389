import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeVenue, fakeResource, oiBody, startFakeVenue } from './testing/fake-venue.ts';
import { type Rig, type RigOptions, startRig } from './testing/rig.ts';

let rig: Rig;
let other: FakeVenue;
beforeEach(async () => {
  other = await startFakeVenue();
  other.answer = (_, response) => void response.end(oiBody(2));
});
afterEach(async () => {
  await rig.stop();
  await other.close();
});

/** Default: its own address. */
async function start(connector?: RigOptions['connector']): Promise<void> {
  rig = await startRig({
    resources: [fakeResource()],
    connector: connector ?? ((origins) => ({ origins, otherRest: [other.origins.rest] })),
  });
  await rig.passUntil(() => rig.snapshot()?.rows[0]?.contracts === 1, 1_000);
}

const isElsewhere = (): boolean => rig.snapshot()?.rows[0]?.contracts === 2;

describe('a venue with another address is asked there', () => {
  test.each([404, 403, 503])('when it answers HTTP %i, and stays there', async (status) => {
    await start();
    rig.venue.answer = (_, response) => void response.writeHead(status).end();
    await rig.passUntil(isElsewhere, 60_000, 1_000);
    expect(rig.health('oi')?.status).toBe('ok');
    rig.venue.asked.length = 0;
    await rig.pass(30_000, 1_000);
    expect(rig.venue.asked).toEqual([]);
  });

  test('when it cannot be reached, and comes back when that one cannot', async () => {
    await start();
    rig.venue.answer = (_, response) => void response.destroy();
    await rig.passUntil(isElsewhere, 20_000, 1_000);
    other.answer = rig.venue.answer;
    rig.venue.answer = (_, response) => void response.end(oiBody(3));
    await rig.passUntil(() => rig.snapshot()?.rows[0]?.contracts === 3, 20_000, 1_000);
  });
});

test('a venue is asked at its own address again after ten minutes, whatever the other one answers', async () => {
  await start();
  rig.venue.answer = (_, response) => void response.writeHead(503).end();
  other.answer = (_, response) => void response.end('<html>');
  await rig.passUntil(() => rig.health('oi')?.status === 'changed', 60_000, 1_000);
  rig.venue.answer = (_, response) => void response.end(oiBody(3));
  await rig.passUntil(() => rig.snapshot()?.rows[0]?.contracts === 3, 700_000, 1_000);
  expect(rig.health('oi')?.status).toBe('ok');
});

describe('a venue with another address is not asked there', () => {
  test('when it limits us', async () => {
    await start();
    rig.venue.answer = (_, response) => void response.writeHead(429, { 'retry-after': '5' }).end();
    await rig.pass(30_000, 1_000);
    expect(rig.health('oi')?.status).toBe('limited');
    expect(other.asked).toEqual([]);
  });

  test('when the address is overridden', async () => {
    await start(() => ({ otherRest: [other.origins.rest] }));
    rig.venue.answer = (_, response) => void response.writeHead(503).end();
    await rig.pass(30_000, 1_000);
    expect(rig.health('oi')?.status).toBe('down');
    expect(other.asked).toEqual([]);
  });
});
