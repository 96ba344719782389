import { expect, it } from 'vitest';
import { TradeCount } from './trade-count.ts';

const numbered = (number: number, width = 1) => ({ number, width, venueTs: number, tid: number });

const at = (number: number, venueTs: number) => ({ number, width: 1, venueTs, tid: number });

it('counts again from a number far below where the venue starts again by design, and only there', () => {
  const restarting = new TradeCount({ mayRestart: true });
  expect(restarting.add(numbered(883_384))).toEqual({ kind: 'first' });
  expect(restarting.add(numbered(421_135))).toEqual({ kind: 'restarted', after: numbered(883_384) });
  expect(restarting.add(numbered(421_136))).toEqual({ kind: 'next' });
  expect(restarting.add(numbered(421_139))).toMatchObject({ range: { first: 421_137, last: 421_138 } });
  const steady = new TradeCount();
  expect([883_384, 421_135, 421_139].map((number) => steady.add(numbered(number)).kind)).toEqual([
    'first',
    'late',
    'late',
  ]);
});

it('counts again from any lower number of a trade that was made much later', () => {
  const restarting = new TradeCount({ mayRestart: true });
  restarting.add(at(500, 10_000));
  expect(restarting.add(at(499, 10_900)).kind).toBe('late');
  expect(restarting.add(at(3, 60_000))).toEqual({ kind: 'restarted', after: at(500, 10_000) });
});

it('does not count from a single number that the time does not allow', () => {
  for (const odd of [at(9_000_000, 1_010), at(7, 30_000)]) {
    const count = new TradeCount();
    count.add(at(500, 1_000));
    expect(count.add(odd)).toEqual({ kind: 'odd', after: at(500, 1_000) });
    expect(count.add(at(501, 30_001)).kind).toBe('next');
    expect(count.add(at(503, 90_000))).toMatchObject({ range: { first: 502, last: 502 } });
  }
});

it('counts from there once a second number agrees with it', () => {
  for (const odd of [9_000_000, 7]) {
    const count = new TradeCount();
    count.add(at(500, 1_000));
    expect(count.add(at(odd, 30_000)).kind).toBe('odd');
    expect(count.add(at(odd + 2, 30_001))).toEqual({ kind: 'restarted', after: at(500, 1_000) });
    expect(count.add(at(odd + 3, 30_002)).kind).toBe('next');
  }
});

it('finds out within seconds that a number was too high by a little', () => {
  const count = new TradeCount();
  count.add(at(500, 1_000));
  expect(count.add(at(600, 1_001)).kind).toBe('passed');
  expect(count.add(at(501, 6_001)).kind).toBe('late');
  expect(count.add(at(502, 6_002)).kind).toBe('odd');
  expect(count.add(at(504, 6_003))).toEqual({ kind: 'restarted', after: at(600, 1_001) });
});

it('takes each number of a range once, in any order', () => {
  const count = new TradeCount();
  count.add(numbered(1));
  const change = count.add(numbered(10));
  if (change.kind !== 'passed') throw new Error('no range');
  const { range } = change;
  const taken = [numbered(6, 3), numbered(5), numbered(9), numbered(7), numbered(10), numbered(8)];
  expect(taken.map((trade) => count.take(range, trade))).toEqual([true, false, true, true, false, true]);
  expect(range.found).toBe(6);
  expect(count.open).toEqual([range]);
  count.take(range, numbered(3, 2));
  expect(count.open).toEqual([]);
});
