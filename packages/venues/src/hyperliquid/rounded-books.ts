import { BOOK_LEVELS_MAX, type BookLevel, MINUTE_MS } from '@crosstape/core';
import { type Lookup, Malformed } from '../venue.ts';
import { parseBook } from './books.ts';

/** Coins whose depth is recorded: those with the most open interest. */
const DEPTH_COINS_MAX = 20;
/**
 * Significant figures of the prices, finest first. Levels of five figures are 0.01 % to 0.001 % of the price wide, those
 * of four ten times and those of three a hundred times as wide, so 20 levels reach
 *
 * | first digit of the price | 5 figures | 4 figures | 3 figures |
 * |---|---|---|---|
 * | 1 | 0.2 % | 2 % | 20 % |
 * | 2 | 0.1 % | 1 % | 10 % |
 * | 5 | 0.04 % | 0.4 % | 4 % |
 * | 9 | 0.02 % | 0.2 % | 2 % |
 *
 * Only the three together have both the best prices and 2 % of the price, whatever the price. A `mantissa` of 5 comes
 * with five figures alone: its levels reach no further than 1 %.
 */
export const figuresOfBooks = [5, 4, 3] as const;

/**
 * The books of the coins with the most open interest once a minute, with their prices rounded to few figures:
 * ```json
 * → {"type":"l2Book","coin":"BTC","nSigFigs":4}
 * ← {"coin":"BTC","time":1754450974231,"levels":[[{"px":"113370.0","sz":"31.4118","n":54},…],[…]],"spread":"1.0"}
 * ```
 * At most 20 levels a side [D]. Bids are rounded down and asks up [K]. Three requests of weight 2 for each coin: a tenth
 * of the venue's weight.
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/info-endpoint#l2-book-snapshot
 */
export const roundedBooks: Lookup = {
  name: 'l2Book',
  polled: 'always',
  isAligned: true,
  everyMs: MINUTE_MS,
  gives: ['roundedBooks'],
  needs: ['openInterest'],
  weight: 2,
  keys: ({ openInterest = [] }) =>
    openInterest
      .toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0))
      .slice(0, DEPTH_COINS_MAX)
      .flatMap(({ symbol }) => figuresOfBooks.map((figures) => `${symbol} ${figures}`)),
  request: (key) => {
    const { symbol, figures } = readKey(key);
    return { method: 'POST', path: '/info', body: { type: 'l2Book', coin: symbol, nSigFigs: figures } };
  },
  parse(body, _receivedAtMs, _known, key) {
    const { symbol, figures } = readKey(key);
    const { coin, venueTs, bids, asks } = parseBook(body);
    if (coin !== symbol) throw new Malformed(`requested ${symbol}, got ${coin}`);
    const fine = [...bids, ...asks].find(([price]) => Number(price.toPrecision(figures)) !== price);
    if (fine) throw new Malformed(`${coin} has a price of more than ${figures} figures: ${fine[0]}`);
    const book = { coin, symbol, figures, venueTs, levelsMax: BOOK_LEVELS_MAX };
    return { roundedBooks: [{ ...book, bids: bids.map(withoutCount), asks: asks.map(withoutCount) }] };
  },
};

/** `BTC 4`. No coin has a space in its name. */
function readKey(key: string): { readonly symbol: string; readonly figures: number } {
  const [symbol = '', figures] = key.split(' ');
  return { symbol, figures: Number(figures) };
}

function withoutCount([price, size]: BookLevel): readonly [price: number, size: number] {
  return [price, size];
}
