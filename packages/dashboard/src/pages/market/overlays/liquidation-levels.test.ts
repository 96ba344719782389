import { expect, it } from 'vitest';
import { BARS_MAX, liquidationColumns } from './liquidation-levels.ts';

const STEP_MS = 600_000;
const bar = (step: number, price: number, low = price, high = price) => ({
  openTs: step * STEP_MS,
  closeTs: (step + 1) * STEP_MS - 1,
  low,
  high,
  close: price,
});
const oi = (...values: readonly number[]) => values.map((value, i) => ({ ts: i * STEP_MS, value }));

/** Prices in the nearest tenth, with coins. */
function levelsOf(columns: ReturnType<typeof liquidationColumns>, at: number): readonly [string, string][] {
  const levels = columns[at]?.levels ?? new Float64Array();
  const pairs = Array.from({ length: levels.length / 2 }, (_, i): [number, number] => [
    levels[2 * i]!,
    levels[2 * i + 1]! / levels[2 * i]!,
  ]);
  return pairs.toSorted(([a], [b]) => a - b).map(([price, coins]) => [price.toFixed(0), coins.toFixed(1)]);
}

it('estimates where longs and shorts of a larger open interest are liquidated', () => {
  const columns = liquidationColumns([bar(0, 1_000), bar(1, 1_000)], [oi(500, 600)]);
  expect(levelsOf(columns, 0)).toEqual([]);
  expect(levelsOf(columns, 1)).toEqual([
    ['904', '40.0'],
    ['964', '30.0'],
    ['984', '20.0'],
    ['994', '10.0'],
    ['1006', '10.0'],
    ['1016', '20.0'],
    ['1036', '30.0'],
    ['1096', '40.0'],
  ]);
  // They may still be reached, and are drawn after the last bar.
  expect(columns.map(({ toMs }) => toMs)).toEqual([STEP_MS - 1, Infinity]);
});

it('removes levels that are traded, and a share of all where open interest falls', () => {
  const bars = [bar(0, 1_000), bar(1, 1_000), bar(2, 1_000, 960, 1_010), bar(3, 1_000)];
  // Two venues with 1,000 together: a tenth of all positions is closed.
  const columns = liquidationColumns(bars, [oi(500, 600, 600, 500), oi(400, 400, 400, 400)]);
  expect(levelsOf(columns, 2)).toEqual([
    ['904', '40.0'],
    ['1016', '20.0'],
    ['1036', '30.0'],
    ['1096', '40.0'],
  ]);
  expect(levelsOf(columns, 3)).toEqual([
    ['904', '36.0'],
    ['1016', '18.0'],
    ['1036', '27.0'],
    ['1096', '36.0'],
  ]);
});

it('takes no change from before the bars, over an unknown time or within minutes', () => {
  const at = (ts: number, value: number) => ({ ts, value });
  const late = [
    at(-STEP_MS, 100),
    at(-1, 900),
    at(60_000, 5_000),
    at(15 * STEP_MS, 2_000),
    at(15 * STEP_MS + 1_000, 2_500),
  ];
  const columns = liquidationColumns([bar(0, 1_000), bar(20, 1_000)], [late]);
  expect(levelsOf(columns, 1)).toEqual([]);
});

it('keeps levels where bars are missing, and none of positions that were all closed', () => {
  const bars = [bar(0, 1_000), bar(1, 1_000), bar(9, 1_000), bar(10, 1_000)];
  const columns = liquidationColumns(bars, [
    [...oi(500, 600), { ts: 9 * STEP_MS, value: 600 }, { ts: 10 * STEP_MS, value: 0 }],
  ]);
  expect(columns[1]?.toMs).toBe(9 * STEP_MS - 1);
  expect(levelsOf(columns, 2)).toHaveLength(8);
  expect(levelsOf(columns, 3)).toEqual([]);
});

it('has a bound, however many bars there are', () => {
  const bars = Array.from({ length: 3 * BARS_MAX }, (_, i) => bar(i, 1_000));
  const columns = liquidationColumns(bars, []);
  expect(columns[0]?.fromMs).toBe(2 * BARS_MAX * STEP_MS);
  expect(columns).toHaveLength(1_250);
  expect(columns[1]?.fromMs).toBe(columns[0]!.toMs + 1);
});
