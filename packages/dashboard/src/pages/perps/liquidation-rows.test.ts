import { expect, it } from 'vitest';
import { liquidationRows } from './liquidation-rows.ts';

const row = (ts: number, size = 1) => ({ ts, venue: 'okx', position: 'long', price: 100, size }) as const;

it('shows recorded liquidations below live ones, each once', () => {
  const rows = liquidationRows([row(5), row(6)], [row(6), row(5), row(4), row(3)], 3);
  expect(rows.map(({ ts }) => ts)).toEqual([6, 5, 4]);
});

it('shows equal ones of a millisecond as often as they were', () => {
  expect(liquidationRows([row(5)], [row(5), row(5), row(5, 2)], 9)).toHaveLength(3);
  expect(liquidationRows([row(5), row(5)], [row(5)], 9)).toHaveLength(2);
});

it('shows those of one millisecond that differ in venue, side or price', () => {
  const live = row(5);
  const others = [
    { ...live, venue: 'bybit' },
    { ...live, position: 'short' as const },
    { ...live, price: 101 },
  ];
  expect(liquidationRows([live], [...others, live], 9)).toEqual([live, ...others]);
});
