import {
  HOUR_MS,
  MINUTE_MS,
  optionBooks,
  type OptionBook,
  type OptionTrade,
  type Side,
} from '@crosstape/core';
import {
  MOST,
  notNegative,
  type ReportOdd,
  readArray,
  readInteger,
  readNumber,
  readObject,
  readOptional,
  readPositiveNumber,
  readRows,
  readText,
  wrong,
} from '../reading.ts';
import { Malformed } from '../venue.ts';
import type { VenueOptionTrades } from '../venue-option-trades.ts';
import { readResult } from './answer.ts';
import { isOfBook } from './option-book.ts';
import { readOptionName } from './option-name.ts';

/** The most trades of one answer [D]. */
const ROWS_MAX = 1_000;
/** A request that begins more than 24 hours ago gets no trades, and no error [D]: less than that, because clocks differ. */
const REACH_MS = 24 * HOUR_MS - 10 * MINUTE_MS;

const LIQUIDATED: Readonly<Record<string, NonNullable<OptionTrade['liquidated']>>> = {
  M: 'maker',
  T: 'taker',
  MT: 'both',
};

/**
 * The trades of one book from a time on, oldest first:
 * ```json
 * {"trades":[{"trade_seq":467,"trade_id":"415305279","timestamp":1770984454552,"tick_direction":2,"price":0.0525,
 *  "mark_price":0.05253883,"iv":45.91,"instrument_name":"BTC-24APR26-72000-C","index_price":66930.31,"direction":"buy",
 *  "amount":3,"contracts":3}],"has_more":true}
 * ```
 * Shape [D]; `direction` is the taker's [D], `amount` counts coins [D], `iv` is percent [D, C], and `price` is as in the book
 * summary. `trade_id` is unique per currency and a text [D]: a number of BTC, with a prefix of others [C]. Sorted by
 * `trade_id` [D], so that times ascend [K]. Legs of a block trade add
 * `"block_trade_id":"BLOCK-282155","block_trade_leg_count":2,"combo_id":"BTC-STRD-1AUG26-63000","block_rfq_id":50510` [C],
 * liquidations `"liquidation":"T"`, or `M` of the maker, or `MT` [D].
 * https://docs.deribit.com/api-reference/market-data/public-get_last_trades_by_currency_and_time
 */
export const optionTrades: VenueOptionTrades = {
  name: 'option-trades',
  weight: 1,
  everyMs: 10_000,
  reachMs: REACH_MS,
  books: optionBooks,
  request: ({ book, fromMs, toMs }) => ({
    method: 'GET',
    path: `/api/v2/public/get_last_trades_by_currency_and_time?currency=${book.toUpperCase()}&kind=option&start_timestamp=${fromMs}&end_timestamp=${toMs}&count=${ROWS_MAX}&sorting=asc`,
  }),
  parse(body, { book, fromMs, toMs }) {
    const { trades: list, has_more: hasMore } = readObject(readResult(body), 'result');
    if (typeof hasMore !== 'boolean') throw wrong(hasMore, 'has_more', 'true or false');
    const all = readArray(list, 'trades');
    const read = readTradesOf(book, all);
    const trades = read.rows.filter(({ ts }) => ts >= fromMs && ts <= toMs).toSorted((a, b) => a.ts - b.ts);
    return {
      trades,
      // A thousand trades of one millisecond would otherwise be requested forever.
      ...(hasMore && { nextMs: Math.max(newestOf(all), fromMs + 1) }),
      ...(read.refused.length > 0 && { refused: read.refused }),
    };
  },
};

/** The time of the newest row, also of those that are not read. */
function newestOf(rows: readonly unknown[]): number {
  const times = rows.flatMap((row) => {
    const { timestamp } = (row ?? {}) as { readonly timestamp?: unknown };
    return Number.isSafeInteger(timestamp) ? [timestamp as number] : [];
  });
  if (times.length === 0) throw new Malformed('there are more trades, and this page has none');
  return times.reduce((newest, one) => Math.max(newest, one));
}

function readTradesOf(book: OptionBook, all: readonly unknown[]) {
  const ours = all.filter((row) => isOfBook(book, row));
  return readRows(ours.length, (i, odd) => readTrade(ours[i], odd), MOST);
}

function readTrade(value: unknown, odd: ReportOdd): OptionTrade {
  const trade = readObject(value, 'trade');
  const symbol = readText(trade['instrument_name'], 'instrument_name');
  const { stablecoin, ...terms } = readOptionName(symbol);
  const amount = (one: unknown, what: string): number => notNegative(readNumber(one, what), what);
  const optional = <Value>(name: string, read: (one: unknown, what: string) => Value): Value | undefined =>
    readOptional(trade[name], `${symbol}.${name}`, read, odd);
  const block = optional('block_trade_id', readText);
  const blockLegs = optional('block_trade_leg_count', readInteger);
  const combo = optional('combo_id', readText);
  const liquidated = optional('liquidation', readLiquidated);
  return {
    id: readText(trade['trade_id'], 'trade_id', symbol),
    symbol,
    ...terms,
    isLinear: stablecoin !== undefined,
    ts: readInteger(trade['timestamp'], 'timestamp', symbol),
    side: readSide(trade['direction'], `${symbol}.direction`),
    price: amount(trade['price'], `${symbol}.price`),
    size: readPositiveNumber(trade['amount'], 'amount', symbol),
    ivPct: optional('iv', amount) ?? 0,
    markPrice: amount(trade['mark_price'], `${symbol}.mark_price`),
    index: readPositiveNumber(trade['index_price'], 'index_price', symbol),
    ...(block !== undefined && { block }),
    ...(blockLegs !== undefined && { blockLegs }),
    ...(combo !== undefined && { combo }),
    ...(liquidated !== undefined && { liquidated }),
  };
}

function readSide(value: unknown, what: string): Side {
  if (value !== 'buy' && value !== 'sell') throw wrong(value, what, 'buy or sell');
  return value;
}

function readLiquidated(value: unknown, what: string): NonNullable<OptionTrade['liquidated']> {
  const who = typeof value === 'string' ? LIQUIDATED[value] : undefined;
  if (who === undefined) throw wrong(value, what, 'M, T or MT');
  return who;
}
