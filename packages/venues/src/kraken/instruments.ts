import type { Instrument } from '@crosstape/core';
import { usualName } from '../coin-aliases.ts';
import { isGoldToken } from '../gold-tokens.ts';
import { readArray, readNumber, readObject, MOST, readRows, readText, readTick } from '../reading.ts';
import { Malformed, type Resource } from '../venue.ts';
import { readAnswer } from './answer.ts';

/** Of a share: `AAPLx` [L]. */
const SHARE = /^[A-Z0-9.]+x$/;
const NAME = /^PF_(.+)USD$/;

/**
 * Markets and indices in one list:
 * ```json
 * {"result":"success","instruments":[{"symbol":"PF_XBTUSD","pair":"XBT:USD","base":"BTC","quote":"USD",
 *   "type":"flexible_futures","tickSize":1,"contractSize":1,"tradeable":true,"impactMidSize":0.1,
 *   "maxPositionSize":1200,"openingDate":"2022-03-22T15:00:00.000Z","fundingRateCoefficient":24,
 *   "maxRelativeFundingRate":0.0025,"contractValueTradePrecision":4,"postOnly":false,"category":"","tags":[],
 *   "tradfi":false,"mtf":true},
 *  {"symbol":"in_xbtusd","type":"spot index","tradeable":false}]}
 * ```
 * `PF_` is a perpetual counted in coins and settled in dollars; `PI_` is inverse, `FI_` and `FF_` end some day (they have
 * a `lastTradingTime`); `tradfi` marks shares and the like [D], but a captured share has no such field and is recognised by its
 * base, `AAPLx` [L]. The base of bitcoin is `XBT` in the documents [D] and `BTC` on the wire [N, L]. One contract of any
 * `PF_` is one coin [D].
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
    const { rows, refused } = readRows(
      listed.length,
      (i) => parseMarket(listed[i], `instruments[${i}]`),
      MOST,
    );
    return { instruments: rows, refused };
  },
};

function parseMarket(row: unknown, what: string): Instrument | undefined {
  const market = readObject(row, what);
  const symbol = readText(market.symbol, `${what}.symbol`);
  const { type, tradeable, tradfi, lastTradingTime } = market;
  if (!symbol.startsWith('PF_') || (type ?? 'flexible_futures') !== 'flexible_futures') return undefined;
  if ((tradeable ?? true) !== true || (lastTradingTime ?? null) !== null) return undefined;
  if ((market.quote ?? 'USD') !== 'USD') return undefined;
  const base = readText(market.base ?? NAME.exec(symbol)?.[1], `${symbol}.base`);
  if ((tradfi === true && !isGoldToken(base)) || SHARE.test(base)) return undefined;
  const contractSize = readNumber(market.contractSize ?? 1, `${symbol}.contractSize`);
  if (contractSize !== 1) throw new Malformed(`${symbol}.contractSize is not 1: ${contractSize}`);
  return { symbol, coin: usualName(base), quote: 'USD', ...readTick(market.tickSize) };
}
