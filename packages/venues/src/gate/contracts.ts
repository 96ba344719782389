import type { Funding, OpenInterest, Price } from '@crosstape/core';
import { roundTo } from '@crosstape/core';
import {
  present,
  type ReportOdd,
  readDecimal,
  readOptional,
  readPositiveDecimal,
  readPositiveNumber,
  MOST,
  readRows,
  readTables,
} from '../reading.ts';
import { Malformed, type Resource, type VenueRequest } from '../venue.ts';
import { readAmount, readList, SIZE_HEADERS } from './answer.ts';
import { type Listing, parseListing } from './instruments.ts';

/** As many rows as one answer holds; without a limit it may hold only 100 [M]. What is left over is requested next. */
const ROWS_MAX = 1000;

const HOUR_SECONDS = 3600;
/** Rounds away the noise of multiplying two decimals. */
const COINS_DECIMALS = 8;

/**
 * Listing, open interest, funding and prices of every contract in one call:
 * ```json
 * {"name":"0G_USDT","type":"direct","quanto_multiplier":"1","mark_price":"0.2048","index_price":"0.2077",
 *  "last_price":"0.2048","funding_rate":"-0.003216","funding_rate_indicative":"-0.003216","funding_interval":28800,
 *  "funding_next_apply":1784131200,"position_size":"783779","trade_size":"767606392","in_delisting":false,
 *  "is_pre_market":false,"status":"trading","contract_type":"","enable_decimal":false,…}
 * ```
 * Shape [C], types with the size header [D]. `position_size` is the total long position, in contracts [D]: the open
 * interest of one side, where the `total_size` of the tickers does not say which. `funding_rate` is applied next;
 * `funding_rate_indicative` is deprecated in its favour [D]. `funding_interval` and `funding_next_apply` are in
 * seconds [D].
 * https://www.gate.com/docs/developers/apiv4/en/#query-all-futures-contracts
 */
export const contracts: Resource = {
  name: 'contracts',
  polled: 'always',
  everyMs: 30_000,
  gives: ['instruments', 'openInterest', 'funding', 'prices'],
  weight: 1,
  request: pageFrom(0),
  parse(body, _receivedAtMs, _known, path = '') {
    const list = readList(body);
    const listings = readRows(list.length, (i) => parseListing(list[i], i), MOST);
    const tables = readTables(listings, {
      openInterest: parseOpenInterest,
      funding: parseFunding,
      prices: parsePrice,
    });
    const isLast = list.length < ROWS_MAX;
    return {
      instruments: listings.rows.map(({ fields: _, ...instrument }) => instrument),
      ...tables,
      ...(isLast ? {} : { more: pageFrom(offsetOf(path) + ROWS_MAX) }),
    };
  },
};

function pageFrom(offset: number): VenueRequest {
  const path = `/api/v4/futures/usdt/contracts?limit=${ROWS_MAX}&offset=${offset}`;
  return { method: 'GET', path, headers: SIZE_HEADERS };
}

function offsetOf(path: string): number {
  const offset = /[?&]offset=(\d{1,6})(&|$)/.exec(path)?.[1];
  if (offset === undefined) throw new Malformed('a full page of a request without an offset');
  return Number(offset);
}

function parseOpenInterest({ symbol, coin, contractSize, fields }: Listing, odd: ReportOdd): OpenInterest {
  const count = readAmount(fields.position_size, `${symbol}.position_size`);
  if (count < 0) throw new Malformed(`${symbol}.position_size is negative: ${count}`);
  const mark = readOptional(fields.mark_price, `${symbol}.mark_price`, readPositiveDecimal, odd);
  const coins = roundTo(count * contractSize, COINS_DECIMALS);
  const value = mark === undefined ? undefined : roundTo(coins * mark, 2);
  return { coin, symbol, contracts: count, coins, ...present({ value }) };
}

function parsePrice({ symbol, coin, fields }: Listing, odd: ReportOdd): Price {
  const mark = readPositiveDecimal(fields.mark_price, `${symbol}.mark_price`);
  const index = readOptional(fields.index_price, `${symbol}.index_price`, readPositiveDecimal, odd);
  return { coin, symbol, mark, ...present({ index }) };
}

function parseFunding({ symbol, coin, fields }: Listing, odd: ReportOdd): Funding {
  const periodSeconds = readPositiveNumber(fields.funding_interval, `${symbol}.funding_interval`);
  const what = `${symbol}.funding_next_apply`;
  const nextSeconds = readOptional(fields.funding_next_apply, what, readPositiveNumber, odd);
  return {
    coin,
    symbol,
    rate: readDecimal(fields.funding_rate, `${symbol}.funding_rate`),
    periodHours: periodSeconds / HOUR_SECONDS,
    ...(nextSeconds !== undefined && { nextFundingMs: Math.round(nextSeconds * 1000) }),
  };
}
