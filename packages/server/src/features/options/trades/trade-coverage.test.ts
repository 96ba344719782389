import { expect, it } from 'vitest';
import { booksOf, coverageOf } from './trade-coverage.ts';

it('needs the own book of a coin and that of USDC', () => {
  expect([booksOf('BTC'), booksOf('ETH'), booksOf('XRP')]).toEqual([
    ['btc', 'usdc'],
    ['eth', 'usdc'],
    ['usdc'],
  ]);
  expect(coverageOf([{ book: 'btc', from: 0, to: 9 }], booksOf('BTC'), { from: 0, to: 9 })).toBeUndefined();
});

it('has the gaps of every book within the range, up to the book that is furthest behind', () => {
  const spans = [
    { book: 'btc', from: 10, to: 30 },
    { book: 'btc', from: 50, to: 90 },
    { book: 'usdc', from: 20, to: 45 },
    { book: 'usdc', from: 60, to: 80 },
  ] as const;
  expect(coverageOf(spans, booksOf('BTC'), { from: 25, to: 100 })).toEqual({
    recordedSinceMs: 20,
    recordedToMs: 80,
    gaps: [{ from: 30, to: 60 }],
  });
  expect(coverageOf(spans, booksOf('BTC'), { from: 0, to: 25 })?.gaps).toEqual([{ from: 0, to: 20 }]);
  expect(coverageOf(spans, booksOf('BTC'), { from: 60, to: 80 })?.gaps).toEqual([]);
});

it('joins gaps of two books that touch', () => {
  const spans = [
    { book: 'btc', from: 0, to: 10 },
    { book: 'btc', from: 20, to: 40 },
    { book: 'usdc', from: 0, to: 20 },
    { book: 'usdc', from: 30, to: 40 },
  ] as const;
  expect(coverageOf(spans, booksOf('BTC'), { from: 0, to: 40 })?.gaps).toEqual([{ from: 10, to: 30 }]);
});

it('joins the gaps beyond the fiftieth', () => {
  const spans = Array.from(
    { length: 80 },
    (_, i) => ({ book: 'usdc', from: i * 10, to: i * 10 + 5 }) as const,
  );
  const gaps = coverageOf(spans, ['usdc'], { from: 0, to: 1_000 })?.gaps ?? [];
  expect(gaps).toHaveLength(50);
  expect(gaps.at(-1)).toEqual({ from: 495, to: 790 });
});
