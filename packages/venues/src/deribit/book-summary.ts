import type { OptionQuote } from '@crosstape/core';
import {
  notNegative,
  readArray,
  readNumber,
  readObject,
  readPositiveNumber,
  readRows,
  readText,
} from '../reading.ts';
import { Malformed, type Resource, type VenueRequest } from '../venue.ts';
import { readResult } from './answer.ts';
import { readOptionName } from './option-name.ts';

/** One call each; the last holds everything that settles in USDC, whichever the coin. */
const BOOKS = ['BTC', 'ETH', 'USDC'] as const;
type Book = (typeof BOOKS)[number];

const OURS: ReadonlySet<string> = new Set(['BTC', 'ETH', 'SOL', 'XRP']);

/**
 * Every live option of one book:
 * ```json
 * {"instrument_name":"SOL_USDC-26MAR27-80-C","base_currency":"SOL","quote_currency":"USDC","open_interest":12340.0,
 *  "mark_iv":58.13,"mark_price":7.91,"bid_price":7.7,"ask_price":8.1,"mid_price":7.9,"last":7.8,"high":7.9,"low":7.8,
 *  "underlying_index":"SOL_USDC-26MAR27","underlying_price":75.02,"interest_rate":0.0,"estimated_delivery_price":74.9,
 *  "volume":110.0,"volume_usd":868.2,"price_change":-1.2,"creation_timestamp":1794700000000}
 * ```
 * Shape [D, C]. `open_interest` and `volume` count coins, not contracts [D], of SOL and XRP too [K]; `mark_iv` is percent,
 * `underlying_price` the forward of the expiry, `mark_price` dollars where it settles in USDC and otherwise coins [D].
 * Strike and expiry stand in the name alone. BTC and ETH have options in their own book and in that of USDC, whose names
 * differ by `_USDC` only.
 * https://docs.deribit.com/api-reference/market-data/public-get_book_summary_by_currency
 */
export const bookSummary: Resource = {
  name: 'book-summary',
  polled: 'demand',
  everyMs: 30_000,
  gives: ['options'],
  weight: 1,
  request: ask('BTC'),
  parse(body) {
    const summaries = readArray(readResult(body), 'result');
    let book: Book | undefined;
    const { rows, refused } = readRows(summaries.length, (i) => {
      const summary = readObject(summaries[i], 'book summary');
      const symbol = readText(summary.instrument_name, 'instrument_name');
      const name = readOptionName(symbol);
      book ??= BOOKS.find((one) => one === (name.stablecoin ?? name.coin));
      if (!OURS.has(name.coin)) return undefined;
      return readSummary(summary, symbol, name);
    });
    // A book without a single option is not one that this venue has.
    if (!book)
      throw new Malformed(`none of ${summaries.length} summaries is an option of ${BOOKS.join(', ')}`);
    const next = BOOKS[BOOKS.indexOf(book) + 1];
    return { options: rows, refused, ...(next && { more: ask(next) }) };
  },
};

function readSummary(
  { open_interest, volume, mark_iv, mark_price, underlying_price }: Readonly<Record<string, unknown>>,
  symbol: string,
  { coin, stablecoin, ...terms }: ReturnType<typeof readOptionName>,
): OptionQuote {
  const amount = (value: unknown, what: string): number =>
    notNegative(readNumber(value, `${symbol}.${what}`), `${symbol}.${what}`);
  return {
    coin,
    symbol,
    ...terms,
    isLinear: stablecoin !== undefined,
    openInterest: amount(open_interest, 'open_interest'),
    volume24hCoins: amount(volume, 'volume'),
    markIvPct: mark_iv === null || mark_iv === undefined ? 0 : amount(mark_iv, 'mark_iv'),
    markPrice: amount(mark_price, 'mark_price'),
    forward: readPositiveNumber(underlying_price, `${symbol}.underlying_price`),
  };
}

function ask(book: Book): VenueRequest {
  return { method: 'GET', path: `/api/v2/public/get_book_summary_by_currency?currency=${book}&kind=option` };
}
