import { describe, expect, it } from 'vitest';
import { gridOf } from './footprint-grid.ts';
import { Tape } from './tape.ts';

const bar = (openTs: number, levels: readonly (readonly number[])[]) => ({
  interval: '1m' as const,
  openTs,
  closeTs: openTs + 59_999,
  levels,
  poc: null,
  delta: 0,
  volume: 0,
  closed: true,
});

describe('the grid of a footprint', () => {
  it('holds every level once, in rows that people can count in', () => {
    const levels = Array.from({ length: 400 }, (_, i) => [84_000 + i, 0.5, 0.25]);
    const { step, rows, top, columns } = gridOf([bar(0, levels), bar(60_000, [[84_020, 1, 9]])], 18);
    expect([step, rows, top]).toEqual([25, 16, 3_375]);
    const bought = [...(columns[0]?.cells.values() ?? [])].reduce((sum, cell) => sum + cell.bought, 0);
    expect(bought).toBe(200);
    expect(columns[1]).toMatchObject({ poc: 3_360 });
    expect(columns[1]?.cells.get(3_360)).toEqual({ bought: 1, sold: 9 });
  });

  it('keeps the columns that still hold, so that they are not drawn again', () => {
    const [first, second] = [
      bar(0, [
        [100, 1, 1],
        [104, 1, 1],
      ]),
      bar(60_000, [[101, 1, 1]]),
    ];
    const before = gridOf([first, second], 18);
    const after = gridOf([first, { ...second, levels: [[101, 2, 1]] }], 18, before);
    expect(after.columns[0]).toBe(before.columns[0]);
    expect(after.columns[1]?.most).toBe(2);
    const wider = gridOf([first, { ...second, levels: [[300, 1, 1]] }], 18, after);
    expect(wider.step).toBeGreaterThan(after.step);
    expect(wider.columns[0]).not.toBe(after.columns[0]);
  });

  it('is empty without a trade, and takes a single price', () => {
    expect(gridOf([], 18).rows).toBe(0);
    expect(gridOf([bar(0, [[0.15, 2, 3]])], 18).rows).toBe(1);
  });
});

describe('the tape', () => {
  const trade = (ts: number, side: 'buy' | 'sell', size: number) => ({ ts, side, size, price: 100 });

  it('joins the fills of an order, and leaves out what is below the threshold', () => {
    const tape = new Tape();
    tape.add([trade(1, 'buy', 1), trade(1, 'buy', 2), trade(1, 'sell', 1)]);
    tape.add([trade(1, 'sell', 4), trade(2, 'sell', 1)]);
    expect(tape.rows(1).map(({ side, size, fills }) => [side, size, fills])).toEqual([
      ['sell', 1, 1],
      ['sell', 5, 2],
      ['buy', 3, 2],
    ]);
    expect(tape.rows(300).map(({ notionalUsd }) => notionalUsd)).toEqual([500, 300]);
  });
});
