import { expect, it } from 'vitest';
import { followedBooks } from './orderbook.ts';
import { tickers } from './tickers.ts';

it('books that are polled every second are as long fresh as the prices of the same venue', () => {
  expect(followedBooks([]).freshMs).toBe(3 * tickers.everyMs);
});
