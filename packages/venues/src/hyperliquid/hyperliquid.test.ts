import fc from 'fast-check';
import { expect, it } from 'vitest';
import { books } from './books.ts';
import { tickAt } from './instruments.ts';
import { roundedBooks } from './rounded-books.ts';
import { trades } from './trades.ts';

it.each([
  { price: 1234.5, sizeDecimals: 1, tick: 0.1 },
  { price: 0.001234, sizeDecimals: 0, tick: 0.000001 },
  { price: 123_456, sizeDecimals: 5, tick: 1 },
  { price: 77_562, sizeDecimals: 5, tick: 1 },
  { price: 9_999.9, sizeDecimals: 4, tick: 0.1 },
  { price: 10_000, sizeDecimals: 4, tick: 1 },
  { price: 152.34, sizeDecimals: 2, tick: 0.01 },
])('has a tick of $tick at $price with $sizeDecimals size decimals', ({ price, sizeDecimals, tick }) => {
  expect(tickAt(price, sizeDecimals)).toBe(tick);
});

it('has a tick that allows five significant figures and no more decimals than the rule', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1e-5, max: 1e7, noNaN: true }),
      fc.integer({ min: 0, max: 5 }),
      (price, decimals) => {
        const tick = tickAt(price, decimals);
        expect(tick).toBeLessThanOrEqual(1);
        const ticks = Math.round(price / tick);
        // Either the figures bind, or the decimals do, or whole numbers do.
        const figures = ticks < 100_000 || tick === 1;
        expect(figures).toBe(true);
        expect(Number(tick.toFixed(6 - decimals))).toBe(tick);
      },
    ),
  );
});

it('treats the first trades after each subscription of a coin as a back-fill', () => {
  const parse = trades.open(() => ({}));
  const ack =
    '{"channel":"subscriptionResponse","data":{"method":"subscribe","subscription":{"type":"trades","coin":"ETH"}}}';
  const frame =
    '{"channel":"trades","data":[{"coin":"ETH","side":"A","px":"3200.1","sz":"1.0","time":1,"tid":2}]}';
  expect([ack, frame, frame, ack, frame].map(parse)).toMatchObject([
    { kind: 'subscribed', topics: ['ETH'] },
    { kind: 'trades', isBackfill: true },
    { kind: 'trades', isBackfill: false },
    { kind: 'subscribed', topics: ['ETH'] },
    { kind: 'trades', isBackfill: true },
  ]);
});

it('subscribes to both books of a coin that is followed and listed, and to no other', () => {
  const listed = ['BTC', 'ETH', 'kPEPE'].map((coin) => ({ coin, symbol: coin }));
  expect(books.topics(listed)).toEqual([]);
  expect(books.topics(listed, ['kPEPE', 'NOPE', 'BTC']).map((topic) => books.subscribe([topic]))).toEqual([
    '{"method":"subscribe","subscription":{"type":"l2Book","coin":"BTC"}}',
    '{"method":"subscribe","subscription":{"type":"l2Book","coin":"BTC","fast":true}}',
    '{"method":"subscribe","subscription":{"type":"l2Book","coin":"kPEPE"}}',
    '{"method":"subscribe","subscription":{"type":"l2Book","coin":"kPEPE","fast":true}}',
  ]);
});

it('requests the books of the coins with the most open interest, each rounded to 5, 4 and 3 figures', () => {
  const openInterest = Array.from({ length: 22 }, (_, i) => {
    const symbol = `C${i}`;
    return { coin: symbol, symbol, contracts: 1, coins: 1, value: i };
  });
  const keys = roundedBooks.keys({ openInterest }, []);
  expect(keys).toHaveLength(60);
  expect(keys.slice(0, 4)).toEqual(['C21 5', 'C21 4', 'C21 3', 'C20 5']);
  expect(keys).not.toContain('C1 5');
  expect(roundedBooks.request('C21 4').body).toEqual({ type: 'l2Book', coin: 'C21', nSigFigs: 4 });
});
