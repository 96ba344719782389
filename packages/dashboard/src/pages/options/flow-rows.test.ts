import { expect, it } from 'vitest';
import { blockShareOf, expiryLabelsOf, flowBars } from './flow-rows.ts';

const sums = (boughtUsd: number, soldUsd: number) => ({ boughtUsd, soldUsd });
const row = { calls: sums(10, 4), puts: sums(1, 7) };

it('has bars of calls, of puts and of both, bought above zero and sold below', () => {
  const byStrike = [{ ...row, strike: 90_000 }];
  expect(flowBars(byStrike, 'both')).toEqual([{ x: 90_000, up: 11, down: -11 }]);
  expect(flowBars(byStrike, 'calls')).toEqual([{ x: 90_000, up: 10, down: -4 }]);
  expect(flowBars(byStrike, 'puts')).toEqual([{ x: 90_000, up: 1, down: -7 }]);
});

it('places expiries by their order, with their labels', () => {
  const first = Date.UTC(2026, 10, 27, 8);
  const rows = [first, Date.UTC(2026, 11, 4, 8)].map((expiryMs) => ({ ...row, expiryMs }));
  expect(flowBars(rows, 'puts').map(({ x }) => x)).toEqual([0, 1]);
  expect(expiryLabelsOf(rows)).toEqual(['27NOV26', '04DEC26']);
});

it('has the share of blocks in all premium', () => {
  expect(blockShareOf({ ...row, blocks: { calls: sums(5, 0), puts: sums(0.5, 0) } })).toBe(0.25);
  const nothing = { calls: sums(0, 0), puts: sums(0, 0) };
  expect(blockShareOf({ ...nothing, blocks: nothing })).toBeUndefined();
});
