import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { VenueGaps } from './venue-gaps.ts';

/** The rows of the ledger: a gap replaces the one with the same start. */
function gapsOf(spans: readonly (readonly [fromMs: number, toMs: number])[]): readonly (readonly number[])[] {
  const rows = new Map<number, number>();
  const clock = new ManualClock(0);
  const gaps = new VenueGaps({
    clock,
    prefix: 'mexc',
    enter: ({ from, to }) => rows.set(from, to),
    onGap: () => undefined,
  });
  for (const [fromMs, toMs] of spans) gaps.unread(['BTCUSDT'], fromMs, toMs);
  gaps.stop();
  return [...rows];
}

it.each([
  [
    'that follow each other are one',
    [
      [100_000, 105_000],
      [160_000, 161_000],
    ],
    [[100_000, 161_000]],
  ],
  [
    'that are far apart are two',
    [
      [100_000, 105_000],
      [165_001, 166_000],
    ],
    [
      [100_000, 105_000],
      [165_001, 166_000],
    ],
  ],
  [
    'stay as long as they were when the clock is set back within them',
    [
      [100_000, 190_000],
      [140_000, 141_000],
    ],
    [[100_000, 190_000]],
  ],
  [
    'stay when it is set back before them',
    [
      [100_000, 190_000],
      [40_000, 41_000],
    ],
    [
      [100_000, 190_000],
      [40_000, 41_000],
    ],
  ],
  ['never end before they begin', [[100_000, 90_000]], [[100_000, 100_001]]],
] as const)('unreadable spans %s', (_, spans, rows) => {
  expect(gapsOf(spans)).toEqual(rows);
});
