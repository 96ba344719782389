import { expect, it } from 'vitest';
import { figureRows, minuteFigure, refillText } from './figures.ts';
import { bandsOf, equalText, firstMarket, type Hour, one, sumOf, withLive, worstHour } from './verdicts.ts';

const hour = (at: number, verdict: Hour['verdict']): Hour => ({
  market: 'hyperliquid:BTC',
  hour: at,
  verdict,
  ours: { volume: 1 },
});

it('never rounds up to all hours, and leaves out those that could not be compared', () => {
  const most = { ...one('differs'), equal: 99_999 };
  expect([equalText(most), equalText(one('equal')), equalText(one('unavailable'))]).toEqual([
    '99.99%',
    '100%',
    '–',
  ]);
  expect(equalText({ ...one('equal'), unavailable: 9 })).toBe('100%');
});

it('shows one hour of thousands that differs', () => {
  const bands = bandsOf(sumOf([{ ...one('equal'), equal: 5_000 }, one('differs')]));
  expect(bands).toBe('linear-gradient(to top, var(--equal) 0.0% 83.3%, var(--differs) 83.3% 100.0%)');
});

it('takes a verdict that arrives for one that was unavailable, and keeps others', () => {
  const rows = [hour(1, 'unavailable'), hour(2, 'differs')];
  const live = [hour(1, 'equal'), hour(2, 'unavailable'), hour(3, 'within')];
  expect(withLive(rows, live).map(({ verdict }) => verdict)).toEqual(['equal', 'differs', 'within']);
});

it('begins with what is furthest from equal', () => {
  expect(worstHour([hour(1, 'differs'), hour(2, 'equal'), hour(3, 'incomplete')])?.hour).toBe(1);
  expect(worstHour([hour(1, 'equal'), hour(2, 'equal')])?.hour).toBe(2);
  const rows = [
    { market: 'a:A', hours: [hour(1, 'equal')] },
    { market: 'a:B', hours: [hour(1, 'equal')] },
  ];
  expect(firstMarket(rows, 'a:B')).toBe('a:B');
  expect(firstMarket([...rows, { market: 'a:C', hours: [hour(1, 'differs')] }], 'a:B')).toBe('a:C');
});

it('prints every digit of both sides, and the difference without the rounding of floats', () => {
  expect(figureRows({ ours: { volume: 0.3, trades: 7 }, venue: { volume: 0.1, trades: 7 } })).toEqual([
    { name: 'Volume, coins', ours: '0.3', venue: '0.1', difference: '0.2' },
    { name: 'Trades', ours: '7', venue: '7', difference: '0' },
  ]);
  expect(
    minuteFigure({
      ts: 0,
      figures: ['prices'],
      ours: { volume: 1 },
      venue: { volume: 1 },
      isReported: false,
    }),
  ).toEqual({ name: 'Prices', ours: '–', venue: '–' });
  expect(
    minuteFigure({ ts: 0, figures: ['prices', 'volume'], venue: { volume: 2.5 }, isReported: false }),
  ).toEqual({ name: 'Volume, coins', ours: 'no trade', venue: '2.5' });
});

it('describes the result of a refill', () => {
  expect(refillText({ trades: 0, isRepaired: false, reason: 'HTTP 503' })).toContain('HTTP 503');
  expect(refillText({ trades: 0, isRepaired: false })).toContain('no trade that the record lacks');
  expect(refillText({ trades: 1, isRepaired: false })).toMatch(/1 trade that.*not repaired/);
  expect(refillText({ trades: 1_200, isRepaired: true })).toMatch(/1,200 trades.*: repaired/);
});
