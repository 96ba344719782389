import { expect, it } from 'vitest';
import { bucketsOf } from './liquidation-buckets.ts';

const HOUR_MS = 3_600_000;
const START_MS = 500_000 * HOUR_MS;
const range = {
  startMs: START_MS,
  stepMs: HOUR_MS,
  count: 3,
  knownSinceMs: START_MS,
  nowMs: START_MS + 3 * HOUR_MS,
};
const event = (afterMs: number, position: 'long' | 'short', notionalUsd: number, inferred = false) => ({
  ts: START_MS + afterMs,
  position,
  notionalUsd,
  inferred,
});

it('sums longs and shorts of each hour, and what of them was inferred', () => {
  const events = [
    event(-1, 'long', 9_000),
    event(0, 'long', 100),
    event(HOUR_MS - 1, 'long', 20, true),
    event(HOUR_MS, 'short', 5),
    event(3 * HOUR_MS, 'short', 9_000),
  ];
  const none = { longUsd: 0, shortUsd: 0, longInferredUsd: 0, shortInferredUsd: 0, isPartial: false };
  expect(bucketsOf(events, range)).toEqual([
    { ...none, startMs: START_MS, longUsd: 120, longInferredUsd: 20 },
    { ...none, startMs: START_MS + HOUR_MS, shortUsd: 5 },
    { ...none, startMs: START_MS + 2 * HOUR_MS },
  ]);
});

it('marks incomplete hours: those before all are known, and the one in progress', () => {
  const partial = (more: Partial<typeof range>) =>
    bucketsOf([], { ...range, ...more }).map(({ isPartial }) => isPartial);
  expect(partial({ knownSinceMs: START_MS + 1 })).toEqual([true, false, false]);
  expect(partial({ nowMs: START_MS + 3 * HOUR_MS - 1 })).toEqual([false, false, true]);
});
