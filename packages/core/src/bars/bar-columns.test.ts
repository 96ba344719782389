import { expect, it } from 'vitest';
import { BARS_MAX, barAt, createBarColumns, createBarRow, expectBars, pushBar } from './bar-columns.ts';

it('grows as bars come, and gives each back with its index', () => {
  const bars = createBarColumns({ firstIndex: 7, extraNames: ['boxes'] });
  const row = createBarRow(1);
  for (let i = 0; i < 3000; i += 1) {
    row.close = i / 10;
    row.extras[0] = i;
    pushBar(bars, row);
  }
  expect(bars.length).toBe(3000);
  expect(barAt(bars, 0)).toMatchObject({ index: 7, close: 0, boxes: 0, complete: true });
  expect(barAt(bars, 2999)).toMatchObject({ index: 3006, close: 299.9, boxes: 2999 });
});

it('stops at the most bars with advice', () => {
  const bars = createBarColumns();
  bars.length = BARS_MAX;
  expect(() => pushBar(bars, createBarRow(0))).toThrow('ask for larger bars');
});

it('makes room once for what is expected, and keeps what is there', () => {
  const bars = createBarColumns({ extraNames: ['boxes'] });
  const row = createBarRow(1);
  row.close = 5;
  row.extras[0] = 3;
  pushBar(bars, row);
  expectBars(bars, 100_000.5);
  expect([bars.close.length, bars.extras[0]!.length]).toEqual([100_001, 100_001]);
  expect(barAt(bars, 0)).toMatchObject({ close: 5, boxes: 3 });
  const { close } = bars;
  expectBars(bars, 150_000);
  expect(bars.close === close).toBe(true);
});

it('makes no room for more than the most bars, nor that twice', () => {
  const bars = createBarColumns();
  expectBars(bars, 10 * BARS_MAX);
  const { close } = bars;
  expect(close.length).toBe(BARS_MAX);
  expectBars(bars, 20 * BARS_MAX);
  expect(bars.close === close).toBe(true);
});
