import { HOUR_MS, MINUTE_MS } from '@crosstape/core';
import { onchainPublishers } from '@crosstape/venues';
import { afterEach, describe, expect, test } from 'vitest';
import type { KeptAnswer, KeptAnswers } from './kept-answer.ts';
import type { FakeVenue } from './testing/fake-venue.ts';
import { fakeResource, oiBody } from './testing/fake-venue.ts';
import { type Rig, startRig } from './testing/rig.ts';

const START_MS = Date.UTC(2026, 0, 1);
/** By which hours pass. */
const STRIDE_MS = 20_000;

const slowSources = onchainPublishers.flatMap(({ id, connector }) =>
  (connector?.resources ?? []).map(({ name, everyMs, retryMs, firstRetryMs }) => ({
    source: `${id}:${name}`,
    everyMs,
    retryMs: retryMs ?? 0,
    firstRetryMs,
  })),
);
/** Failed requests count: five metrics requested twice in an hour exceed the limit. */
const quotaSources = slowSources.filter(({ source }) => source.startsWith('bitcoindata:'));
const others = slowSources.filter((one) => !quotaSources.includes(one));

let rig: Rig;
afterEach(() => rig.stop());

function memory(): KeptAnswers {
  const kept = new Map<string, KeptAnswer>();
  return { get: (source) => kept.get(source), put: (source, answer) => void kept.set(source, answer) };
}

/** Time of each request, in minutes since the first. */
function watch(venue: FakeVenue, answer: FakeVenue['answer'], clock: () => number): number[] {
  const askedMs: number[] = [];
  venue.answer = (request, response) => {
    askedMs.push(clock() - (askedMs.length === 0 ? 0 : (askedMs[0] ?? 0)));
    answer(request, response);
  };
  return askedMs;
}

const fails: FakeVenue['answer'] = (_, response) => void response.writeHead(500).end();

describe.each(others)('$source', ({ everyMs, retryMs }) => {
  test('that fails at the start is asked again within a minute, then ever less often', async () => {
    const resource = fakeResource({ everyMs, retryMs });
    rig = await startRig({ resources: [resource], kept: memory() });
    const askedMs = watch(rig.venue, fails, () => rig.clock.now());
    await rig.pass(3 * HOUR_MS, STRIDE_MS);
    const sinceFirst = askedMs.slice(1);
    expect(sinceFirst[0]).toBeLessThanOrEqual(MINUTE_MS + STRIDE_MS);
    const waits = sinceFirst.map((ms, i) => ms - (i === 0 ? 0 : (sinceFirst[i - 1] ?? 0)));
    expect(waits[2]).toBeGreaterThan(1.5 * MINUTE_MS);
    // At its cadence in the end, and only a few in the first hour.
    expect(waits.at(-1)).toBeGreaterThanOrEqual(everyMs / 2);
    expect(sinceFirst.filter((ms) => ms <= HOUR_MS).length).toBeLessThanOrEqual(8);
  });

  test('is served as soon as it answers', async () => {
    rig = await startRig({ resources: [fakeResource({ everyMs, retryMs })], kept: memory(), prepare });
    await rig.passUntil(() => rig.health('oi')?.status === 'down', 1_000);
    rig.venue.answer = (_, response) => void response.end(oiBody(1));
    await rig.passUntil(() => rig.snapshot() !== undefined, MINUTE_MS, 1_000);
  });
});

const prepare = (venue: FakeVenue): void => {
  venue.answer = fails;
};

test('a restart does not shorten the wait that has grown', async () => {
  const [one] = others;
  if (!one) throw new Error('no slow source is listed');
  const { everyMs, retryMs } = one;
  const kept = memory();
  const options = { resources: [fakeResource({ everyMs, retryMs })], kept, prepare };
  rig = await startRig({ ...options, startMs: START_MS });
  await rig.passUntil(() => rig.venue.asked.length === 4, HOUR_MS, 1_000);
  await rig.pass(1_000);
  const stoppedMs = rig.clock.now();
  await rig.stop();
  // The fourth failure is followed by at least eight times the least wait.
  rig = await startRig({ ...options, startMs: stoppedMs });
  await rig.pass(8 * retryMs - 10_000, 5_000);
  expect(rig.venue.asked).toEqual([]);
  await rig.passUntil(() => rig.venue.asked.length === 1, MINUTE_MS, 5_000);
});

test.each(quotaSources)(
  '$source declares in its connector that its quota does not allow it',
  ({ firstRetryMs }) => {
    expect(firstRetryMs).toBeGreaterThan(HOUR_MS);
  },
);
