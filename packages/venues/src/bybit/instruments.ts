import type { Instrument } from '@crosstape/core';
import { usualName } from '../coin-aliases.ts';
import { isGoldToken } from '../gold-tokens.ts';
import { type Fields, readArray, readObject, MOST, readRows, readText, readTick } from '../reading.ts';
import { Malformed, type Resource, type VenueRequest } from '../venue.ts';
import { readResult } from './answer.ts';

const PATH = '/v5/market/instruments-info?category=linear&limit=1000';

/**
 * Every linear contract that trades, in pages: there are more than the 500 of a default page [D].
 * ```json
 * {"symbol":"BTCUSDT","symbolId":5,"contractType":"LinearPerpetual","status":"Trading","baseCoin":"BTC",
 *  "quoteCoin":"USDT","launchTime":"1585526400000","deliveryTime":"0","deliveryFeeRate":"","priceScale":"2",
 *  "leverageFilter":{…},"priceFilter":{"minPrice":"0.10","maxPrice":"1999999.80","tickSize":"0.10"},
 *  "lotSizeFilter":{"qtyStep":"0.001",…},"unifiedMarginTrade":true,"fundingInterval":480,"settleCoin":"USDT",
 *  "copyTrading":"both","upperFundingRate":"0.00375","lowerFundingRate":"-0.00375","isPreListing":false,
 *  "preListingInfo":null,"riskParameters":{…},"symbolType":""}
 * ```
 * Sizes are in coins. The base coin keeps its multiplier: `1000PEPE`, and `SHIB1000` [K].
 * https://bybit-exchange.github.io/docs/v5/market/instrument
 */
export const instruments: Resource = {
  name: 'instruments',
  polled: 'always',
  everyMs: 600_000,
  gives: ['instruments'],
  weight: 1,
  request: { method: 'GET', path: PATH },
  parse(body) {
    const { list, nextPageCursor } = readResult(body);
    const listed = readArray(list, 'list');
    const { rows, refused } = readRows(listed.length, (i) => parseInstrument(listed[i], i), MOST);
    // A page without rows is the end, whatever its cursor says.
    const more = listed.length > 0 ? nextPage(nextPageCursor) : undefined;
    return { instruments: rows, refused, ...(more ? { more } : {}) };
  },
};

/** The cursor comes as it is to be sent: `"first%3DBIOUSDT%26last%3DBIOUSDT"`; empty, null or absent on the last page [D, L]. */
function nextPage(cursor: unknown): VenueRequest | undefined {
  if (cursor === '' || cursor === undefined || cursor === null) return undefined;
  const text = readText(cursor, 'nextPageCursor');
  if (!/^[\w%.~-]+$/.test(text)) throw new Malformed(`nextPageCursor is not encoded: ${text.slice(0, 60)}`);
  return { method: 'GET', path: `${PATH}&cursor=${text}` };
}

const STABLE_COINS: readonly unknown[] = ['USDT', 'USDC'];
/** Regions of the venue [D]; `innovation` and `adventure` are young coins. Older answers have no such field. */
const CRYPTO_TYPES: readonly unknown[] = ['', 'innovation', 'adventure'];
/** `ETF` is written in capitals [L]. */
const OTHER_TYPES: readonly unknown[] = ['stock', 'xstocks', 'ETF', 'commodity', 'forex'];

function parseInstrument(row: unknown, i: number): Instrument | undefined {
  const listing = readObject(row, `list[${i}]`);
  const symbol = readText(listing.symbol, `list[${i}].symbol`);
  if (!isTraded(listing)) return undefined;
  const coin = usualName(readText(listing.baseCoin, `${symbol}.baseCoin`));
  const quote = readText(listing.quoteCoin, `${symbol}.quoteCoin`);
  if (!isCoin(listing.symbolType ?? '', coin, symbol)) return undefined;
  const { tickSize } = Object(listing.priceFilter) as Fields;
  return { symbol, coin, quote, ...readTick(tickSize) };
}

function isTraded({ contractType, status, isPreListing, quoteCoin, settleCoin }: Fields): boolean {
  if ((contractType ?? 'LinearPerpetual') !== 'LinearPerpetual' || (status ?? 'Trading') !== 'Trading')
    return false;
  return (
    isPreListing !== true && [quoteCoin, settleCoin ?? quoteCoin].every((one) => STABLE_COINS.includes(one))
  );
}

function isCoin(symbolType: unknown, coin: string, symbol: string): boolean {
  if (CRYPTO_TYPES.includes(symbolType) || isGoldToken(coin)) return true;
  if (OTHER_TYPES.includes(symbolType)) return false;
  throw new Malformed(`${symbol}.symbolType is not known: ${String(symbolType)}`);
}
