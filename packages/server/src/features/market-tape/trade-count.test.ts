import { expect, it } from 'vitest';
import { TradeCount } from './trade-count.ts';

const numbered = (number: number, width = 1) => ({ number, width, venueTs: number, tid: number });

it('counts again from a number far below where the venue starts again by design, and only there', () => {
  const restarting = new TradeCount({ mayRestart: true });
  for (const number of [883_384, 421_135, 421_136]) expect(restarting.add(numbered(number))).toBeUndefined();
  expect(restarting.add(numbered(421_139))).toMatchObject({ first: 421_137, last: 421_138 });
  const steady = new TradeCount();
  for (const number of [883_384, 421_135, 421_139]) expect(steady.add(numbered(number))).toBeUndefined();
});

it('takes each number of a range once, in any order', () => {
  const count = new TradeCount();
  count.add(numbered(1));
  const range = count.add(numbered(10));
  if (!range) throw new Error('no range');
  const taken = [numbered(6, 3), numbered(5), numbered(9), numbered(7), numbered(10), numbered(8)];
  expect(taken.map((trade) => count.take(range, trade))).toEqual([true, false, true, true, false, true]);
  expect(range.found).toBe(6);
  expect(count.open).toEqual([range]);
  count.take(range, numbered(3, 2));
  expect(count.open).toEqual([]);
});
