import { expect, it } from 'vitest';
import { bucketsOf, recordedBuckets } from './liquidation-buckets.ts';

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

const totals = (longUsd: number, shortUsd: number) => ({ longUsd, shortUsd, count: 1 });
const recorded = {
  points: [
    {
      ts: START_MS + HOUR_MS,
      longUsd: 107,
      shortUsd: 23,
      measured: totals(100, 20),
      inferred: totals(7, 3),
      byVenue: { okx: [100, 20], hyperliquid: [7, 3] },
      complete: true,
    },
    {
      ts: START_MS + 2 * HOUR_MS,
      longUsd: 1,
      shortUsd: 0,
      measured: totals(1, 0),
      inferred: totals(0, 0),
      byVenue: { okx: [1, 0] },
      complete: false,
    },
  ],
  venues: [
    { venue: 'okx', method: 'measured' },
    { venue: 'hyperliquid', method: 'inferred' },
  ],
} as unknown as Parameters<typeof recordedBuckets>[0];

it('has a bucket for each step of a recorded history; what was not recorded is partial, not zero', () => {
  const all = recordedBuckets(recorded, { ...range, venue: '' });
  expect(all.map(({ isPartial }) => isPartial)).toEqual([true, false, true]);
  expect(all[1]).toEqual({
    startMs: START_MS + HOUR_MS,
    longUsd: 107,
    shortUsd: 23,
    longInferredUsd: 7,
    shortInferredUsd: 3,
    isPartial: false,
  });
});

it('shows one venue of it, and whether its figures are inferred', () => {
  const sumsOf = (venue: string) =>
    recordedBuckets(recorded, { ...range, venue }).map((bucket) => [
      [bucket.longUsd, bucket.longInferredUsd],
      [bucket.shortUsd, bucket.shortInferredUsd],
    ]);
  const none = [
    [0, 0],
    [0, 0],
  ];
  expect(sumsOf('okx')).toEqual([
    none,
    [
      [100, 0],
      [20, 0],
    ],
    [
      [1, 0],
      [0, 0],
    ],
  ]);
  expect(sumsOf('hyperliquid')).toEqual([
    none,
    [
      [7, 7],
      [3, 3],
    ],
    none,
  ]);
});
