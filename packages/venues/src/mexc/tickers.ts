import { type Funding, type FundingPeriod, HOUR_MS, type OpenInterest, type Volume } from '@crosstape/core';
import { roundTo } from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
import {
  notNegative,
  present,
  type ReportOdd,
  readArray,
  readInteger,
  readNumber,
  readNumberAmount,
  readOptional,
  readPositiveNumber,
  readTables,
} from '../reading.ts';
import { type ContractRow, priceReader, readContractRows } from '../contract-rows.ts';
import type { Resource } from '../venue.ts';
import { readAnswer } from './answer.ts';

const SIZE_DECIMALS = 8;
/**
 * How many sides `holdVol` counts. Taken as one; two is possible: bitcoin's 41,758 coins stand against 26,600 to 32,000
 * on venues of its size [L], but nothing published says so. The only place to change it.
 */
const SIDES_COUNTED = 1;

/**
 * Open interest, mark, index, funding rate and volume of every contract in one call:
 * ```json
 * {"contractId":11,"symbol":"ETH_USDT","lastPrice":3581.3,"bid1":3581.25,"ask1":3581.5,"volume24":4045530,
 *  "amount24":141331823.5755,"holdVol":5832946,"lower24Price":3413.4,"high24Price":3588.7,"riseFallRate":0.0275,
 *  "riseFallValue":95.95,"indexPrice":3580.7852,"fairPrice":3581.08,"fundingRate":0.000063,"maxBidPrice":3938.85,
 *  "minAskPrice":3222.7,"timestamp":1634162885016}
 * ```
 * `holdVol` is in contracts [C], one side [K: that it is one side is not confirmed]; the mark is `fairPrice`. `volume24`
 * is in contracts, `amount24` in the quote currency [C]. How often
 * and the time of payment comes from another call. 20 requests in 2 s [C].
 * https://www.mexc.com/api-docs/futures/market-endpoints/get-contract-trend-data
 */
export const tickers: Resource = {
  name: 'ticker',
  polled: 'always',
  everyMs: 30_000,
  gives: ['openInterest', 'funding', 'prices', 'volumes'],
  needs: ['instruments'],
  // Without them there is no funding; open interest and prices do not wait for it.
  prefers: ['fundingPeriods'],
  weight: 1,
  request: { method: 'GET', path: '/api/v1/contract/ticker' },
  parse(body, receivedAtMs, known) {
    const periods = bySymbol(known.fundingPeriods);
    const rows = readContractRows(readArray(readAnswer(body), 'data'), 'data', known.instruments);
    return readTables(rows, {
      openInterest: parseOpenInterest,
      funding: (contract, odd) =>
        parseFunding(contract, periods.get(contract.instrument.symbol), receivedAtMs, odd),
      prices: priceReader({ mark: 'fairPrice', index: 'indexPrice' }, readPositiveNumber),
      volumes: parseVolume,
    });
  },
};

function parseOpenInterest({
  row,
  instrument: { coin, symbol, contractSize = 1 },
}: ContractRow): OpenInterest {
  const mark = readPositiveNumber(row.fairPrice, `${symbol}.fairPrice`);
  const held = notNegative(readNumber(row.holdVol, `${symbol}.holdVol`), `${symbol}.holdVol`);
  const contracts = held / SIDES_COUNTED;
  const coins = roundTo(contracts * contractSize, SIZE_DECIMALS);
  return { coin, symbol, contracts, coins, value: roundTo(coins * mark, 2) };
}

function parseVolume(
  { row, instrument: { coin, symbol, contractSize = 1 } }: ContractRow,
  odd: ReportOdd,
): Volume {
  const value = readNumberAmount(row.amount24, `${symbol}.amount24`);
  const contracts = readOptional(row.volume24, `${symbol}.volume24`, readNumberAmount, odd);
  const coins = contracts === undefined ? undefined : roundTo(contracts * contractSize, SIZE_DECIMALS);
  return { coin, symbol, value, ...present({ coins }) };
}

function parseFunding(
  { row, instrument: { coin, symbol } }: ContractRow,
  { periodHours, paysAtMs }: Partial<FundingPeriod> = {},
  receivedAtMs: number,
  odd: ReportOdd,
): Funding | undefined {
  const rate = readNumber(row.fundingRate, `${symbol}.fundingRate`);
  const atMs = readOptional(row.timestamp, `${symbol}.timestamp`, readInteger, odd) ?? receivedAtMs;
  if (periodHours === undefined || paysAtMs === undefined) return undefined;
  const nextFundingMs = firstAfter(atMs, paysAtMs, periodHours * HOUR_MS);
  return { coin, symbol, rate, periodHours, nextFundingMs };
}

/** The first payment after a time: the announced one, or whole periods later. */
function firstAfter(nowMs: number, paysAtMs: number, periodMs: number): number {
  if (nowMs < paysAtMs) return paysAtMs;
  return paysAtMs + (Math.floor((nowMs - paysAtMs) / periodMs) + 1) * periodMs;
}
