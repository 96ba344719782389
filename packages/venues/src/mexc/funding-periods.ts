import type { FundingPeriod, Instrument } from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
import {
  type Fields,
  readArray,
  readInteger,
  readObject,
  readPositiveNumber,
  readRows,
  readText,
} from '../reading.ts';
import { type Lookup, Malformed, type Resource } from '../venue.ts';
import { isUnknownContract, readAnswer } from './answer.ts';

const PATH = '/api/v1/contract/funding_rate';

/**
 * How often each contract pays, and when next:
 * ```json
 * {"success":true,"code":0,"data":[{"symbol":"BTC_USDT","fundingRate":0.000014,"maxFundingRate":0.003,
 *  "minFundingRate":-0.003,"collectCycle":8,"nextSettleTime":1643241600000,"timestamp":1643240373359}]}
 * ```
 * `collectCycle` is in hours, `nextSettleTime` in milliseconds [C, D]. Without a symbol all contracts are answered, 897 in
 * one report; the documents describe the call with a symbol only, several SDKs this one [S, M]. The rate itself comes with
 * the tickers. 20 requests in 2 s [S].
 * https://www.mexc.com/api-docs/futures/market-endpoints/get-funding-rate
 */
export const fundingPeriods: Resource = {
  name: 'funding_rate',
  polled: 'always',
  everyMs: 60_000,
  gives: ['fundingPeriods'],
  needs: ['instruments'],
  weight: 1,
  request: { method: 'GET', path: PATH },
  parse(body, _receivedAtMs, known) {
    const ours = bySymbol(known.instruments);
    const data = readArray(readAnswer(body), 'data');
    const { rows, refused } = readRows(data.length, (i) => {
      const row = readObject(data[i], `data[${i}]`);
      const instrument = ours.get(readText(row.symbol, `data[${i}].symbol`));
      return instrument && parsePeriod(row, instrument);
    });
    return { fundingPeriods: rows, refused };
  },
};

/**
 * The same for one contract, which is the documented call [D]: for contracts that the other answer lacks, and for all of
 * them should it end. 20 requests in 2 s [C]; here it is 4 at once and 10 in 2 s besides.
 */
export const fundingPeriod: Lookup = {
  name: 'funding_rate-by-symbol',
  polled: 'always',
  everyMs: 900_000,
  fallbackFor: fundingPeriods.name,
  gives: ['fundingPeriods'],
  needs: ['instruments'],
  weight: 1,
  perMinute: 300,
  atOnce: 4,
  keys: (known) => (known.instruments ?? []).map((instrument) => instrument.symbol),
  request: (symbol) => ({ method: 'GET', path: `${PATH}/${encodeURIComponent(symbol)}` }),
  parse(body, _receivedAtMs, known, symbol) {
    if (isUnknownContract(body))
      return { fundingPeriods: [], refused: [`${symbol} is not known to the venue`] };
    const row = readObject(readAnswer(body), 'data');
    if ((row.symbol ?? symbol) !== symbol)
      throw new Malformed(`requested ${symbol}, got ${String(row.symbol)}`);
    const instrument = bySymbol(known.instruments).get(symbol);
    return { fundingPeriods: instrument ? [parsePeriod(row, instrument)] : [] };
  },
};

function parsePeriod(row: Fields, { coin, symbol }: Instrument): FundingPeriod {
  return {
    coin,
    symbol,
    periodHours: readPositiveNumber(row.collectCycle, `${symbol}.collectCycle`),
    paysAtMs: readInteger(row.nextSettleTime, `${symbol}.nextSettleTime`),
  };
}
