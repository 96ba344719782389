import type { Instrument } from '@crosstape/core';
import { readArray, readNumber, readObject, readRows, readText } from '../reading.ts';
import { Malformed, type Resource } from '../venue.ts';
import { readAnswer } from './answer.ts';

/** The venue's own names of two coins. Its samples spell the base either way: `XBT` [D], `BTC` [N]. */
const PLAIN: Readonly<Record<string, string>> = { XBT: 'BTC', XDG: 'DOGE' };

/**
 * Markets and indices in one list:
 * ```json
 * {"result":"success","instruments":[{"symbol":"PF_XBTUSD","pair":"XBT:USD","base":"XBT","quote":"USD",
 *   "type":"flexible_futures","tickSize":1,"contractSize":1,"tradeable":true,"impactMidSize":0.1,
 *   "maxPositionSize":1200,"openingDate":"2022-03-22T15:00:00.000Z","fundingRateCoefficient":24,
 *   "maxRelativeFundingRate":0.0025,"contractValueTradePrecision":4,"postOnly":false,"category":"","tags":[],
 *   "tradfi":false,"mtf":true},
 *  {"symbol":"in_xbtusd","type":"spot index","tradeable":false}]}
 * ```
 * `PF_` is a perpetual counted in coins and settled in dollars; `PI_` is inverse, `FI_` and `FF_` end some day (they have
 * a `lastTradingTime`); `tradfi` marks shares and the like [D]. One contract of any `PF_` is one coin [D].
 * https://docs.kraken.com/api-reference/instrument-details/get-instruments
 */
export const instruments: Resource = {
  name: 'instruments',
  polled: 'always',
  everyMs: 600_000,
  gives: ['instruments'],
  weight: 0,
  request: { method: 'GET', path: '/derivatives/api/v3/instruments' },
  parse(body) {
    const listed = readArray(readAnswer(body).instruments, 'instruments');
    const { rows, refused } = readRows(listed.length, (i) => parseMarket(listed[i], `instruments[${i}]`));
    return { instruments: rows, refused };
  },
};

function parseMarket(row: unknown, what: string): Instrument | undefined {
  const market = readObject(row, what);
  const symbol = readText(market.symbol, `${what}.symbol`);
  if (readText(market.type, `${symbol}.type`) !== 'flexible_futures' || !symbol.startsWith('PF_'))
    return undefined;
  if (market.tradeable !== true || market.tradfi === true) return undefined;
  if (market.lastTradingTime !== undefined && market.lastTradingTime !== null) return undefined;
  if (readText(market.quote, `${symbol}.quote`) !== 'USD') return undefined;
  const contractSize = readNumber(market.contractSize, `${symbol}.contractSize`);
  if (contractSize !== 1) throw new Malformed(`${symbol}.contractSize is not 1: ${contractSize}`);
  const base = readText(market.base, `${symbol}.base`);
  return { symbol, coin: PLAIN[base] ?? base };
}
