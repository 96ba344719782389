import { MINUTE_MS } from '@crosstape/core';
import { afterEach, expect, test, vi } from 'vitest';
import { healthTopic } from '../topics.ts';
import { fakeResource, oiBody } from './testing/fake-venue.ts';
import { type Rig, startRig } from './testing/rig.ts';

let rig: Rig;
afterEach(() => rig.stop());

test('a venue whose HTTP 403 means too many requests is left alone for as long as it says, by all at its address', async () => {
  rig = await startRig({
    limits: { forbiddenMs: 10 * MINUTE_MS },
    resources: [fakeResource()],
    neighbour: [fakeResource({ name: 'spot', everyMs: 7_000, request: { method: 'GET', path: '/spot' } })],
  });
  const neighbour = () => rig.bus.latest(healthTopic('neighbour'))?.message[0];
  await rig.passUntil(() => rig.health('oi')?.status === 'ok' && neighbour()?.status === 'ok', 1_000);
  rig.venue.answer = (_, response) => void response.writeHead(403).end('access too frequent');
  await rig.passUntil(() => rig.health('oi')?.status === 'blocked', 6_000);
  const untilMs = rig.clock.now() + 10 * MINUTE_MS;
  rig.venue.asked.length = 0;
  await rig.passUntil(() => neighbour()?.status === 'blocked', 8_000);
  const error = expect.stringMatching(/^The venue answered HTTP 403: nothing is asked until /) as string;
  for (const one of [rig.health('oi'), neighbour()]) expect(one).toMatchObject({ status: 'blocked', error });
  await rig.pass(untilMs - rig.clock.now() - 1_000, 1_000);
  expect(rig.venue.asked).toEqual([]);
  rig.venue.answer = (_, response) => void response.end(oiBody(2));
  await rig.pass(2_000, 500);
  await vi.waitFor(() => expect(rig.venue.asked.toSorted()).toEqual(['/oi', '/spot']));
  await rig.passUntil(() => rig.health('oi')?.status === 'ok' && neighbour()?.status === 'ok', 1_000);
});
