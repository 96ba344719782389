import { type OptionQuote, optionBooks } from '@crosstape/core';
import {
  notNegative,
  type ReportOdd,
  readArray,
  readNumber,
  readObject,
  readOptional,
  readPositiveNumber,
  readRows,
  readText,
} from '../reading.ts';
import { Malformed, type Resource } from '../venue.ts';
import { readResult } from './answer.ts';
import { isOfBook } from './option-book.ts';
import { readOptionName } from './option-name.ts';

/** The options of a book are summed: without more of them than this share, the sum would be of something else. */
const REFUSED_SHARE_MAX = 0.1;

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
 * Strike and expiry stand in the name alone, and so does the book: BTC and ETH have options in their own and in that of
 * USDC, whose names differ by `_USDC` only.
 * https://docs.deribit.com/api-reference/market-data/public-get_book_summary_by_currency
 */
export const bookSummaries: readonly Resource[] = optionBooks.map((book) => {
  const currency = book.toUpperCase();
  return {
    name: `${book}-book-summary`,
    polled: 'demand',
    everyMs: 30_000,
    gives: [`${book}Options`],
    weight: 1,
    request: {
      method: 'GET',
      path: `/api/v2/public/get_book_summary_by_currency?currency=${currency}&kind=option`,
    },
    parse(body) {
      const summaries = readArray(readResult(body), 'result');
      // What is not ours neither counts nor needs to be understood.
      const ours = summaries.filter((summary) => isOfBook(book, summary));
      const { rows, refused } = readRows(
        ours.length,
        (i, odd) => readSummary(ours[i], odd),
        REFUSED_SHARE_MAX,
      );
      if (rows.length === 0)
        throw new Malformed(`none of ${summaries.length} summaries is an option of the book of ${currency}`);
      return { [`${book}Options`]: rows, refused };
    },
  };
});

function readSummary(value: unknown, odd: ReportOdd): OptionQuote {
  const summary = readObject(value, 'book summary');
  const symbol = readText(summary.instrument_name, 'instrument_name');
  const { stablecoin, ...terms } = readOptionName(symbol);
  const { open_interest, volume, mark_iv, mark_price, underlying_price } = summary;
  const amount = (one: unknown, what: string): number => notNegative(readNumber(one, what), what);
  const optional = (one: unknown, what: string): number =>
    readOptional(one, `${symbol}.${what}`, amount, odd) ?? 0;
  return {
    symbol,
    ...terms,
    isLinear: stablecoin !== undefined,
    openInterest: amount(open_interest, `${symbol}.open_interest`),
    volume24hCoins: optional(volume, 'volume'),
    markIvPct: optional(mark_iv, 'mark_iv'),
    markPrice: optional(mark_price, 'mark_price'),
    forward: readPositiveNumber(underlying_price, `${symbol}.underlying_price`),
  };
}
