import { type Funding, type OpenInterest, roundTo } from '@crosstape/core';
import {
  type Fields,
  present,
  type ReportOdd,
  readAmount,
  readArray,
  readDecimal,
  readIntegerText,
  readOptional,
  readPositiveDecimal,
  readTables,
} from '../reading.ts';
import { type ContractRow, priceReader, readContractRows, volumeReader } from '../contract-rows.ts';
import type { Resource } from '../venue.ts';
import { readResult } from './answer.ts';

/**
 * Open interest, funding, prices and volume of every linear contract in one call [D]:
 * ```json
 * {"symbol":"BTCUSDT","lastPrice":"16597.00","indexPrice":"16598.54","markPrice":"16596.00",…,
 *  "openInterest":"68744.761","openInterestValue":"1140888053.56","singleOpenInterest":"34372.3805",
 *  "singleOpenInterestValue":"570444026.78","turnover24h":"…","volume24h":"…","fundingRate":"-0.000212",
 *  "nextFundingTime":"1673280000000","fundingIntervalHour":"8","fundingCap":"0.005","bid1Price":"16596.00",…}
 * ```
 * `openInterest` counts both sides, `singleOpenInterest` one; both in coins. Fields that mean nothing for a contract
 * are empty texts. `turnover24h` is in the quote currency, `volume24h` in coins.
 * https://bybit-exchange.github.io/docs/v5/market/tickers
 */
export const tickers: Resource = {
  name: 'tickers',
  polled: 'always',
  everyMs: 30_000,
  gives: ['openInterest', 'funding', 'prices', 'volumes'],
  needs: ['instruments'],
  weight: 1,
  request: { method: 'GET', path: '/v5/market/tickers?category=linear' },
  parse(body, _receivedAtMs, known) {
    const list = readArray(readResult(body).list, 'list');
    return readTables(readContractRows(list, 'list', known.instruments), {
      openInterest: parseOpenInterest,
      funding: parseFunding,
      prices: priceReader({ mark: 'markPrice', index: 'indexPrice' }, readPositiveDecimal),
      volumes: volumeReader({ value: 'turnover24h', coins: 'volume24h' }, readAmount),
    });
  },
};

function parseOpenInterest(
  { row: ticker, instrument: { coin, symbol } }: ContractRow,
  odd: ReportOdd,
): OpenInterest {
  const coins =
    readOneSide(ticker, 'openInterest', symbol, odd) ??
    readAmount(ticker.openInterest, `${symbol}.openInterest`) / 2;
  const mark = readOptional(ticker.markPrice, `${symbol}.markPrice`, readPositiveDecimal, odd);
  const value =
    readOneSide(ticker, 'openInterestValue', symbol, odd) ??
    (mark === undefined ? undefined : roundTo(coins * mark, 2));
  return { coin, symbol, contracts: coins, coins, ...present({ value }) };
}

const ONE_SIDED = {
  openInterest: 'singleOpenInterest',
  openInterestValue: 'singleOpenInterestValue',
} as const;

/** The one-sided figure; where it is missing, half of the other. */
function readOneSide(
  ticker: Fields,
  field: keyof typeof ONE_SIDED,
  symbol: string,
  odd: ReportOdd,
): number | undefined {
  const { [field]: single } = ONE_SIDED;
  const oneSided = readOptional(ticker[single], `${symbol}.${single}`, readAmount, odd);
  if (oneSided !== undefined) return oneSided;
  const both = readOptional(ticker[field], `${symbol}.${field}`, readAmount, odd);
  return both === undefined ? undefined : both / 2;
}

/** A contract that pays no funding yet has empty fields. Without its period a rate means nothing. */
function parseFunding(
  { row: ticker, instrument: { coin, symbol } }: ContractRow,
  odd: ReportOdd,
): Funding | undefined {
  const { fundingRate, fundingIntervalHour, nextFundingTime } = ticker;
  if (!fundingRate || !fundingIntervalHour) return undefined;
  const nextFundingMs = readOptional(nextFundingTime, `${symbol}.nextFundingTime`, readIntegerText, odd);
  return {
    coin,
    symbol,
    rate: readDecimal(fundingRate, `${symbol}.fundingRate`),
    periodHours: readPositiveDecimal(fundingIntervalHour, `${symbol}.fundingIntervalHour`),
    ...present({ nextFundingMs }),
  };
}
