import { describe, expect, it } from 'vitest';
import { recordedInterval } from '../recorded-interval.ts';
import { BookHeat, COLUMNS_MAX, type HeatColumn, heatOf, LEVELS_MAX, MARKETS_MAX } from './book-heat.ts';
import { fillPixels, fullWorth, gridOf, heightsOf } from './paint-book-heat.ts';
import { type HeatRecord, withNewestBooks, withOlderBooks } from './recorded-heat.ts';

/** Worths by price. */
const worthsOf = (levels: Float64Array): Record<number, number> =>
  Object.fromEntries(Array.from({ length: levels.length / 2 }, (_, i) => [levels[2 * i], levels[2 * i + 1]]));
const book = (...bids: readonly (readonly [number, number])[]) => ({ bids, asks: [] });

describe('the order book as it was seen', () => {
  it('keeps the most that rested at each price in five seconds', () => {
    const heat = new BookHeat();
    heat.add({ bids: [[100, 2]], asks: [[101, 1]] }, 10_000);
    heat.add(book([100, 1], [99, 5]), 14_999);
    heat.add(book([100, 3]), 15_000);
    expect(heat.columns.map(({ fromMs, toMs, levels }) => [fromMs, toMs, worthsOf(levels)])).toEqual([
      [10_000, 15_000, { 99: 495, 100: 200, 101: 101 }],
      [15_000, 15_000, { 100: 300 }],
    ]);
  });

  it('leaves a gap where nothing was seen', () => {
    const heat = new BookHeat();
    heat.add(book([100, 1]), 1_000);
    heat.add(book([100, 1]), 60_000);
    expect(heat.columns.map(({ toMs }) => toMs)).toEqual([1_000, 60_000]);
  });

  it('has a bound, however long it looks and however far prices move', () => {
    const heat = new BookHeat();
    for (let i = 0; i < 3 * COLUMNS_MAX; i += 1) heat.add(book([i, 1], [i + 0.5, 9]), i * 5_000);
    expect(heat.columns.length).toBeLessThanOrEqual(COLUMNS_MAX);
    expect(heat.columns[0]?.fromMs).toBe(0);
    expect(heat.columns.at(-1)?.toMs).toBe((3 * COLUMNS_MAX - 1) * 5_000);
    for (let i = 0; i < 2 * LEVELS_MAX; i += 1) heat.add(book([1e6 + i, i]), 3 * COLUMNS_MAX * 5_000);
    const newest = heat.columns.at(-1);
    expect(newest?.levels.length).toBe(2 * LEVELS_MAX);
    expect(newest?.levels).toContain(1e6 + 2 * LEVELS_MAX - 1);
  });

  it('keeps the most of both where two columns become one', () => {
    const heat = new BookHeat();
    for (let i = 0; i <= COLUMNS_MAX; i += 1) heat.add(book([100, i % 2 === 0 ? 3 : 4], [i, 1]), i * 5_000);
    expect(heat.columns).toHaveLength(COLUMNS_MAX / 2 + 1);
    expect(worthsOf(heat.columns[3]!.levels)).toEqual({ 6: 6, 7: 7, 100: 400 });
    // The newest continues from what it has.
    heat.add(book([100, 9]), (COLUMNS_MAX + 1) * 5_000);
    expect(worthsOf(heat.columns.at(-1)!.levels)).toEqual({ 100: 900, [COLUMNS_MAX]: COLUMNS_MAX });
  });

  it('comes back with a market that was left, and forgets the one that was left first', () => {
    const first = heatOf('a:1');
    heatOf('b:1');
    expect(heatOf('a:1')).toBe(first);
    for (let i = 0; i < MARKETS_MAX; i += 1) heatOf(`c:${i}`);
    expect(heatOf('a:1')).not.toBe(first);
  });
});

describe('its picture', () => {
  it('adds up the prices of a cell of time and height', () => {
    const columns = [
      {
        fromMs: 0,
        toMs: 1,
        levels: Float64Array.of(0, 5, 1, 7, 4, 2),
      },
      { fromMs: 1, toMs: 2, levels: Float64Array.of(100, 9) },
    ];
    const {
      columns: across,
      rows,
      worths,
    } = gridOf(
      columns,
      { width: 9, height: 6 },
      (ts) => ts * 3,
      (price) => price,
    );
    expect([across, rows]).toEqual([3, 2]);
    expect([...worths]).toEqual([12, 2, 12, 2, 0, 0]);
  });

  it('adds up each column alone, and shows the most of those in one cell', () => {
    const columns = [5, 3, 4, 9].map((worth, i) => ({
      fromMs: i,
      toMs: i + 0.5,
      levels: Float64Array.of(1, worth),
    }));
    const { worths } = gridOf(
      columns,
      { width: 6, height: 3 },
      (ts) => ts * 1.5,
      (price) => price,
    );
    expect([...worths]).toEqual([5, 9]);
  });

  it('has each price at its height, on a linear and a logarithmic axis', () => {
    const linear = (price: number): number => 500 - price / 10;
    expect(heightsOf(1_000, linear)?.heightOf(3_000)).toBeCloseTo(200);
    const logarithmic = (price: number): number => 500 - 100 * Math.log10(price);
    expect(heightsOf(1_000, logarithmic)?.heightOf(2_000)).toBeCloseTo(logarithmic(2_000));
    expect(heightsOf(1_000, () => null)).toBeUndefined();
  });

  it('is not made pale by one large order', () => {
    const worths = Float64Array.from({ length: 200 }, (_, i) => (i === 0 ? 1e9 : i % 2 === 0 ? 0 : 10));
    expect(fullWorth(worths)).toBe(10);
    expect(fullWorth(new Float64Array(4))).toBe(0);
  });

  it('finds the strongest colour of many cells among some of them', () => {
    const worths = Float64Array.from({ length: 50_000 }, (_, i) => (i * 7_919) % 50_000);
    expect(fullWorth(worths) / 49_000).toBeCloseTo(1, 2);
  });

  it('has one pixel for each cell, the stronger the more was there', () => {
    const pixels = new Uint8ClampedArray(2 * 3 * 4);
    // Two columns of three rows.
    fillPixels(
      pixels,
      { columns: 2, rows: 3, worths: Float64Array.of(0, 50, 0, 100, 0, 200) },
      100,
      [1, 2, 3],
    );
    const alphas = Array.from({ length: 6 }, (_, i) => pixels[i * 4 + 3]!);
    expect(alphas).toEqual([0, 204, 110, 0, 0, 204]);
    expect(pixels.slice(4, 7)).toEqual(Uint8ClampedArray.of(1, 2, 3));
  });
});

describe('recorded order books', () => {
  const MINUTE_MS = 60_000;
  const bookOf = (ts: number, size = 1) => ({
    ts,
    step: 1,
    bids: [
      [100, size, 1],
      [90, 2, 10],
    ],
    asks: [[110, 3, 10]],
  });
  const page = (minutes: readonly number[], nextEnd?: number) => ({
    points: minutes.map((minute) => bookOf(minute * MINUTE_MS, minute)),
    nextEnd,
    lengthMs: MINUTE_MS,
  });
  const minutesOf = (record: HeatRecord | undefined) =>
    record?.columns.map(({ fromMs }) => fromMs / MINUTE_MS);

  it('are columns whose levels reach towards the mid', () => {
    const record = withNewestBooks(undefined, page([5]));
    const [{ fromMs, toMs, levels, widths }] = record!.columns as [HeatColumn];
    expect([fromMs, toMs]).toEqual([5 * MINUTE_MS, 6 * MINUTE_MS]);
    expect(worthsOf(levels)).toEqual({ 90: 180, 100: 500, 110: 330 });
    expect([...widths!]).toEqual([1, 10, -10]);
  });

  it('are spread evenly over the cells of a wide level', () => {
    const column = withNewestBooks(undefined, page([1]))!.columns;
    // A dollar is a cell high, and a minute a cell wide.
    const grid = gridOf(
      column,
      { width: 9, height: 90 },
      (ts) => (ts / MINUTE_MS) * 3,
      (price) => (115 - price) * 3,
    );
    const cell = (price: number) => grid.worths[1 * grid.rows + (115 - price)];
    expect(cell(95)).toBeCloseTo(180 / 10);
    expect(cell(105)).toBeCloseTo(330 / 10);
    expect(cell(111)).toBe(0);
    const sum = grid.worths.slice(grid.rows, 2 * grid.rows).reduce((total, worth) => total + worth, 0);
    expect(sum).toBeCloseTo(180 + 100 + 330);
  });

  it('grow by newer books and by older pages', () => {
    const first = withNewestBooks(undefined, page([5, 6], 5 * MINUTE_MS));
    const grown = withNewestBooks(first, page([6, 7, 8], 6 * MINUTE_MS));
    expect(minutesOf(grown)).toEqual([5, 6, 7, 8]);
    expect(grown?.nextEnd).toBe(5 * MINUTE_MS);
    const whole = withOlderBooks(grown!, page([2, 4, 5]));
    expect(minutesOf(whole)).toEqual([2, 4, 5, 6, 7, 8]);
    expect(whole.nextEnd).toBeUndefined();
    expect(withNewestBooks(whole, page([]))).toBe(whole);
  });

  it('have the step of the newest book', () => {
    const points = [1, 0.1].map((step, i) => ({ ...bookOf((5 + i) * MINUTE_MS), step }));
    const record = withNewestBooks(undefined, { ...page([]), points });
    expect(record?.step).toBe(0.1);
    expect(withOlderBooks(record!, page([4])).step).toBe(0.1);
    expect(withNewestBooks(record, page([6, 7]))?.step).toBe(1);
  });

  it('begin again where books between are missing from both', () => {
    const first = withNewestBooks(undefined, page([5, 6]));
    expect(minutesOf(withNewestBooks(first, page([90, 91], 90 * MINUTE_MS)))).toEqual([90, 91]);
    // Without an older page nothing was recorded between them.
    expect(minutesOf(withNewestBooks(first, page([90, 91])))).toEqual([5, 6, 90, 91]);
  });

  it('are read at the finest interval that has few enough', () => {
    const nowMs = 40 * 86_400_000;
    const intervals = [0.9, 1.1, 9.9, 10.1].map(
      (days) => recordedInterval(nowMs - days * 86_400_000, nowMs).interval,
    );
    expect(intervals).toEqual(['1m', '10m', '10m', '1h']);
  });
});
