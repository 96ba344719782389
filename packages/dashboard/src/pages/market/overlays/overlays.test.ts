import { expect, it } from 'vitest';
import { labelledRows, totalsByRow, totalsOf } from './liquidation-map.ts';
import { visibleBars } from './pane-overlay.ts';
import { profileOf, sessionOf } from './volume-profile.ts';

const DAY_MS = 86_400_000;
const bar = (low: number, high: number, volume: number, buyVolume = volume / 2, openTs = 0) => ({
  openTs,
  low,
  high,
  volume,
  buyVolume,
});

it('spreads the volume of bars over their prices, and loses none', () => {
  const profile = profileOf([bar(100, 110, 10), bar(104, 106, 30, 30)], 5);
  expect(profile?.step).toBe(2);
  expect(profile?.rows.map(({ volume }) => volume)).toEqual([2, 2, 32, 2, 2]);
  expect(profile?.rows[2]?.bought).toBe(31);
  expect(profile?.poc).toBe(2);
});

it('grows the value area from the point of control to 70 % of the volume, by the larger side', () => {
  const bars = [bar(0, 1, 10), bar(1, 2, 25), bar(2, 3, 40), bar(3, 4, 15), bar(4, 5, 10)];
  expect(profileOf(bars, 5)).toMatchObject({ poc: 2, valueFrom: 1, valueTo: 3 });
});

it('has one row where only one price was traded, and none without bars', () => {
  expect(profileOf([bar(50, 50, 3)], 40)?.rows).toMatchObject([{ low: 50, volume: 3 }]);
  expect(profileOf([], 40)).toBeUndefined();
});

it('has all bars of the UTC day of the last visible one', () => {
  const bars = [DAY_MS - 1, DAY_MS, DAY_MS + 5, 2 * DAY_MS, 2 * DAY_MS + 5].map((openTs) => ({ openTs }));
  expect(sessionOf(bars, bars.slice(2, 3))).toEqual(bars.slice(1, 3));
  const open = { openTs: 2 * DAY_MS + 9 };
  expect(sessionOf(bars, [open])).toEqual([...bars.slice(3), open]);
  expect(sessionOf(bars, [])).toEqual([]);
});

it('sums liquidations by position and by price, and counts inferred ones', () => {
  const events = [
    { ts: 1, price: 100, position: 'long', notionalUsd: 5, inferred: false },
    { ts: 2, price: 104, position: 'short', notionalUsd: 7, inferred: true },
    { ts: 3, price: 101, position: 'long', notionalUsd: 11, inferred: false },
  ] as const;
  expect(totalsOf(events)).toEqual({ longUsd: 16, shortUsd: 7, inferredUsd: 7 });
  const rows = totalsByRow(events, (price) => Math.floor(price / 4));
  expect(rows.get(25)).toEqual({ longUsd: 16, shortUsd: 0, inferredUsd: 0 });
  expect(rows.get(26)).toEqual({ longUsd: 0, shortUsd: 7, inferredUsd: 7 });
});

it('labels the largest totals by price, and no two that would overlap', () => {
  const totals = (usd: number) => ({ longUsd: usd, shortUsd: 1, inferredUsd: 0 });
  const rows = new Map([3, 9, 8, 1, 7, 2, 6].map((usd, row) => [row, totals(usd)]));
  expect(labelledRows(rows, 12)).toEqual([
    [1, 10],
    [2, 9],
    [4, 8],
    [6, 7],
    [0, 4],
  ]);
  expect(labelledRows(rows, 6).map(([row]) => row)).toEqual([1, 4, 6]);
});

it('has the bar in progress visible only where its place is', () => {
  const closed = ['a', 'b', 'c', 'd'];
  expect(visibleBars(closed, 'open', { from: 1.2, to: 9 })).toEqual(['b', 'c', 'd', 'open']);
  expect(visibleBars(closed, 'open', { from: -3, to: 3.5 })).toEqual(['a', 'b', 'c', 'd', 'open']);
  expect(visibleBars(closed, 'open', { from: 0, to: 2 })).toEqual(['a', 'b', 'c']);
  expect(visibleBars(closed, null, { from: 2, to: 9 })).toEqual(['c', 'd']);
});
