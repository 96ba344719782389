import { expect, it } from 'vitest';
import { TradeCount } from './trade-count.ts';

const numbered = (number: number, width = 1) => ({ number, width, venueTs: number, tid: number });

it('counts again from a number far below where the venue starts again by design, and only there', () => {
  const restarting = new TradeCount({ mayRestart: true });
  expect(restarting.add(numbered(883_384))).toBeUndefined();
  expect(restarting.add(numbered(421_135))).toEqual({ restartedAfter: numbered(883_384) });
  expect(restarting.add(numbered(421_136))).toBeUndefined();
  expect(restarting.add(numbered(421_139))).toMatchObject({ first: 421_137, last: 421_138 });
  const steady = new TradeCount();
  for (const number of [883_384, 421_135, 421_139]) expect(steady.add(numbered(number))).toBeUndefined();
});

it('counts again from any lower number of a trade that was made much later', () => {
  const restarting = new TradeCount({ mayRestart: true });
  const at = (number: number, venueTs: number) => ({ number, width: 1, venueTs, tid: number });
  expect(restarting.add(at(500, 10_000))).toBeUndefined();
  expect(restarting.add(at(499, 10_900))).toBeUndefined();
  expect(restarting.add(at(3, 60_000))).toEqual({ restartedAfter: at(500, 10_000) });
});

it('takes each number of a range once, in any order', () => {
  const count = new TradeCount();
  count.add(numbered(1));
  const range = count.add(numbered(10));
  if (!range || !('first' in range)) throw new Error('no range');
  const taken = [numbered(6, 3), numbered(5), numbered(9), numbered(7), numbered(10), numbered(8)];
  expect(taken.map((trade) => count.take(range, trade))).toEqual([true, false, true, true, false, true]);
  expect(range.found).toBe(6);
  expect(count.open).toEqual([range]);
  count.take(range, numbered(3, 2));
  expect(count.open).toEqual([]);
});
