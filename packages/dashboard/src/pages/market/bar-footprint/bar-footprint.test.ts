import { expect, it } from 'vitest';
import { cellsOf, stepAbove } from './bar-cells.ts';
import { PrintStore } from './print-store.ts';
import { PRINTS_MAX, windowOf } from './print-window.ts';

type Print = readonly [ts: number, price: number, size: number];

function storeOf(startMs: number, ...prints: readonly Print[]): PrintStore {
  const store = new PrintStore();
  store.clear(startMs);
  const column = (at: 0 | 1 | 2): Float64Array => Float64Array.from(prints, (print) => print[at]);
  store.add({ ts: column(0), price: column(1), size: column(2) });
  return store;
}

const bar = (openTs: number, closeTs: number, trades: number, fromVenue = false) => ({
  openTs,
  closeTs,
  trades,
  fromVenue,
});

it('gives each bar its own trades, where two share a millisecond too', () => {
  const store = storeOf(10, [10, 1, 1], [12, 1, 1], [12, 1, 1], [12, 1, 1], [13, 1, 1], [20, 1, 1]);
  const ranges = store.rangesOf([
    bar(5, 9, 3),
    bar(10, 12, 2),
    bar(12, 12, 1),
    bar(12, 13, 2),
    bar(20, 29, 1),
  ]);
  expect(ranges).toEqual([
    undefined,
    { from: 0, to: 2 },
    { from: 2, to: 3 },
    { from: 3, to: 5 },
    { from: 5, to: 6 },
  ]);
});

it('keeps more trades than it has room for at first', () => {
  const store = storeOf(0);
  for (let i = 0; i < 6_000; i += 1)
    store.add({ ts: Float64Array.of(i), price: Float64Array.of(i), size: Float64Array.of(1) });
  expect([store.indexAt(5_999), store.priceAt(5_999)]).toEqual([5_999, 5_999]);
});

it('sums by row, and finds the point of control, the value area and delta', () => {
  const store = storeOf(0, [1, 100.2, 5], [2, 100.9, -1], [3, 101.5, 2], [4, 103, -4], [5, 103.9, -4]);
  const cells = cellsOf(store, { from: 0, to: 5 }, 1);
  expect([...(cells?.rows ?? [])].map(([row, { bought, sold }]) => [row, bought, sold])).toEqual([
    [100, 5, 1],
    [101, 2, 0],
    [103, 0, 8],
  ]);
  expect(cells).toMatchObject({ poc: 103, valueFrom: 100, valueTo: 103, delta: -2, most: 8 });
  expect(cellsOf(store, { from: 2, to: 2 }, 1)).toBeUndefined();
});

it('marks a side that is three times what met it a row further, and three such rows', () => {
  const store = storeOf(
    0,
    ...[1, 2, 3, 4].map((row): Print => [row, row, 10]),
    ...[1, 2, 3, 4].map((row): Print => [row + 10, row, row === 3 ? -9 : -1]),
  );
  const { rows } = cellsOf(store, { from: 0, to: 8 }, 1)!;
  const marks = [...rows].map(([row, { imbalance, isStacked }]) => [row, imbalance, isStacked ?? false]);
  expect(marks).toEqual([
    [1, 'bought', true],
    [2, 'bought', true],
    [3, 'bought', true],
    // Nine were sold a row lower.
    [4, undefined, false],
  ]);
});

it('has rows of countable heights', () => {
  expect([0.003, 0.2, 0.21, 7, 10].map(stepAbove)).toEqual([0.005, 0.2, 0.5, 10, 10]);
});

it('needs the trades of the visible bars and of those around, no more than a page holds', () => {
  const bars = Array.from({ length: 100 }, (_, i) => bar(i * 10, i * 10 + 9, 5));
  const live = windowOf(bars, { from: 90, to: 103 }, undefined);
  expect(live).toEqual({ start: 800 });
  expect(windowOf(bars, { from: 88, to: 103 }, live)).toBe(live);
  expect(windowOf(bars, { from: 50, to: 59 }, live)).toEqual({ start: 400, end: 700 });
  expect(windowOf(bars, { from: 48, to: 57 }, { start: 400, end: 700 })).toEqual({ start: 400, end: 700 });
  const heavy = bars.map((one) => ({ ...one, trades: PRINTS_MAX / 3 }));
  expect(windowOf(heavy, { from: 90, to: 103 }, undefined)).toEqual({ start: 970 });
  expect(windowOf([{ ...bars[0]!, trades: PRINTS_MAX + 1 }], { from: 0, to: 3 }, undefined)).toBeUndefined();
  expect(windowOf([bar(0, 9, NaN, true)], { from: 0, to: 3 }, undefined)).toBeUndefined();
});
