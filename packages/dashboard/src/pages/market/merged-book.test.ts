import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { perpVenues } from '../../format/venues.ts';
import {
  BOOKS_MAX,
  bookMarkets,
  isStepFor,
  marketColour,
  type MarketBook,
  mergeBooks,
  niceStep,
  notRecorded,
  stepFor,
} from './merged-book.ts';

type Side = MarketBook['bids'];

function book(market: string, bids: Side, asks: Side, usdRate = 1): MarketBook {
  return { market, usdRate, bids, asks };
}

describe('a book of several markets', () => {
  it('sums sizes by row, in dollars, and says whose they are', () => {
    const { bids, asks, bid, ask, spreadBps } = mergeBooks(
      [
        book(
          'a:X',
          [
            [100.4, 2],
            [99.2, 1],
          ],
          [[101, 1]],
        ),
        book('b:XUSDT', [[100, 4]], [[102, 3]], 1.004),
      ],
      1,
      10,
    );
    expect(bids.map(({ price, size, sizes }) => [price, size, sizes])).toEqual([
      [100, 6, { 'a:X': 2, 'b:XUSDT': 4 }],
      [99, 1, { 'a:X': 1 }],
    ]);
    // Sums are of the orders' own prices, not of the row's.
    expect(bids[1]?.sumUsd).toBeCloseTo(701.6, 9);
    expect(bids[1]?.sums['a:X']).toBeCloseTo(300, 9);
    expect(bids[1]?.sums['b:XUSDT']).toBeCloseTo(401.6, 9);
    // Asks are counted at the upper end of their row.
    expect(asks.map(({ price }) => price)).toEqual([101, 103]);
    expect([bid, ask]).toEqual([
      { market: 'a:X', price: 100.4 },
      { market: 'a:X', price: 101 },
    ]);
    expect(spreadBps).toBeCloseTo((0.6 / 100.4) * 10_000, 9);
  });

  it('has the same sums with rows that are higher than the price, which are not offered', () => {
    const books = [book('a:X', [[0.2, 1_000]], [[0.2, 2_000]])];
    const { bids, asks } = mergeBooks(books, 10, 9);
    expect([bids[0]?.sumUsd, asks[0]?.sumUsd]).toEqual([200, 400]);
    expect([10, 0.002, 0.001].map((step) => isStepFor(books, step))).toEqual([false, true, true]);
    expect(isStepFor([], 10)).toBe(true);
  });

  it('flags levels that would trade with another market, and never those of one market alone', () => {
    const { bids, asks, spreadBps } = mergeBooks(
      [
        book(
          'a:X',
          [
            [105, 1],
            [103, 1],
            [100, 1],
          ],
          [[106, 1]],
        ),
        book(
          'b:X',
          [[101, 1]],
          [
            [104, 1],
            [107, 1],
          ],
        ),
      ],
      1,
      10,
    );
    expect(spreadBps).toBeLessThan(0);
    expect(bids.map(({ price, isCrossed }) => [price, isCrossed])).toEqual([
      [105, true],
      [103, false],
      [101, false],
      [100, false],
    ]);
    expect(asks.map(({ price, isCrossed }) => [price, isCrossed])).toEqual([
      [104, true],
      [106, false],
      [107, false],
    ]);
  });

  it('names the markets whose book ends before a row, where it may continue', () => {
    const deep = Array.from({ length: 20 }, (_, i) => [100 - i, 1] as const);
    const full = Array.from({ length: 20 }, (_, i) => [100 - i / 10, 1] as const);
    const { bids } = mergeBooks(
      [book('deep:X', deep, []), book('full:X', full, []), book('short:X', [[100, 1]], [])],
      1,
      5,
    );
    expect(bids.map(({ ended }) => ended)).toEqual([[], [], ['full:X'], ['full:X'], ['full:X']]);
  });

  it('keeps every order, whatever the height of a row', () => {
    const side = fc.array(
      fc.tuple(
        fc.double({ min: 1, max: 1_000, noNaN: true }),
        fc.double({ min: 0.001, max: 10, noNaN: true }),
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(
        fc.array(side, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(0.1, 0.5, 2, 50),
        (sides, step) => {
          const books = sides.map((bids, i) => book(`${i}:X`, bids, bids));
          const total = sides.flat().reduce((sum, [, size]) => sum + size, 0);
          const { bids, asks } = mergeBooks(books, step, Infinity);
          for (const levels of [bids, asks])
            expect(levels.reduce((sum, { size }) => sum + size, 0)).toBeCloseTo(total, 6);
          for (const { price } of bids)
            expect(sides.flat().some(([at]) => at >= price - 1e-6 && at < price + step + 1e-6)).toBe(true);
          for (const { price } of asks)
            expect(sides.flat().some(([at]) => at <= price + 1e-6 && at > price - step - 1e-6)).toBe(true);
        },
      ),
    );
  });
});

it('has rows as high as the books are deep, and keeps them while they fit', () => {
  const of = (reach: number) => [
    book(
      'a:X',
      [
        [100, 1],
        [100 - reach, 1],
      ],
      [
        [101, 1],
        [101 + reach, 1],
      ],
    ),
  ];
  expect(stepFor(of(9), 9)).toBe(1);
  expect(stepFor(of(11), 9)).toBe(2);
  expect(stepFor(of(8), 9, 2)).toBe(2);
  expect(stepFor(of(90), 9, 2)).toBe(10);
  expect(stepFor(of(0.9), 9, 2)).toBe(0.1);
  expect(stepFor([], 9, 5)).toBe(5);
  expect([0.3, 1, 3, 7_000].map(niceStep)).toEqual([0.5, 1, 5, 10_000]);
});

describe('the markets of a book', () => {
  const row = (market: string, trades24h: number, more = {}) => ({
    market,
    venue: market.split(':')[0]!,
    kind: 'perp' as const,
    quote: 'USDT',
    usdRate: 1 as number | null,
    trades24h,
    ...more,
  });

  it('are the most traded of the kind, and each of the others has a reason', () => {
    const many = Array.from({ length: BOOKS_MAX + 1 }, (_, i) => row(`v${i}:X`, i + 1));
    const recorded = [
      ...many,
      row('k:X', 99, { quote: 'KRW', usdRate: null }),
      row('s:X', 99, { kind: 'spot' }),
    ];
    const { used, left } = bookMarkets(recorded, 'perp', [`v${BOOKS_MAX}:X`]);
    expect(used.map(({ market }) => market)).toEqual(
      many
        .slice(0, -1)
        .map(({ market }) => market)
        .toReversed(),
    );
    expect(left).toEqual([
      { market: 'k:X', why: 'Quoted in KRW, which has no known USD rate.' },
      { market: `v${BOOKS_MAX}:X`, why: 'Turned off.' },
    ]);
    expect(bookMarkets(recorded, 'perp').left.at(-1)).toMatchObject({
      market: 'v0:X',
      why: expect.stringContaining('most traded'),
    });
    expect(bookMarkets(recorded, 'spot').used.map(({ market }) => market)).toEqual(['s:X']);
    expect(bookMarkets(recorded, 'all').left).toHaveLength(3);
  });

  it('have different colours, a spot market and the perpetual of its venue too', () => {
    const perps = perpVenues.map((venue) => ({ venue, kind: 'perp' as const }));
    const spots = ['binance-spot', 'bybit-spot', 'okx-spot', 'kraken-spot', 'coinbase'].map((venue) => ({
      venue,
      kind: 'spot' as const,
    }));
    const colours = [...perps, ...spots].map((one) => marketColour(one));
    expect(new Set(colours).size).toBe(perps.length + spots.length);
  });

  it('lack the venues that are not recorded', () => {
    expect(notRecorded([row('binance:X', 1), row('okx:X', 1, { kind: 'spot' })])).not.toContain('binance');
    expect(notRecorded([row('okx:X', 1, { kind: 'spot' })])).toContain('okx');
  });
});
