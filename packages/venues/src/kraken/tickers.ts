import { type Funding, HOUR_MS, type OpenInterest, roundTo } from '@crosstape/core';
import {
  notNegative,
  readArray,
  readNumber,
  readNumberAmount,
  readPositiveNumber,
  readTables,
} from '../reading.ts';
import { type ContractRow, priceReader, readContractRows, volumeReader } from '../contract-rows.ts';
import type { Resource } from '../venue.ts';
import { readAnswer } from './answer.ts';

/** Rates are quotients here: these decimals are what the venue's own relative rates have. */
const RATE_DECIMALS = 15;

/**
 * Price, funding, open interest and volume of every market in one call; indices, which have little of it, are among them:
 * ```json
 * {"result":"success","tickers":[{"symbol":"PF_ENJUSD","tag":"perpetual","pair":"ENJ:USD","last":0.0433,
 *   "lastTime":"2025-10-22T11:02:25.599Z","lastSize":1272,"markPrice":0.0434,"indexPrice":0.043391,"bid":0.0433,
 *   "bidSize":4609,"ask":0.0435,"askSize":4609,"vol24h":1696,"volumeQuote":73.5216,"openInterest":72513,
 *   "open24h":0.0435,"high24h":0.0435,"low24h":0.0433,"fundingRate":-0.000000756414717067,
 *   "fundingRatePrediction":0.000000195218676,"suspended":false,"postOnly":false,"change24h":-0.46},
 *  {"symbol":"in_xbtusd","last":40411,"lastTime":"2022-02-18T14:16:28.000Z"}],
 *  "serverTime":"2025-10-22T11:02:26.000Z"}
 * ```
 * Shape [D, C]. `openInterest` is in coins, one-sided [K]. `fundingRate` is absolute: dollars per coin and hour, so that
 * the fraction is this over the mark [C]. It was set an hour ago, runs until the full hour and is settled then; what
 * comes after it is the prediction [D]. `vol24h` is in coins, `volumeQuote` in dollars [D].
 * https://docs.kraken.com/api/docs/futures-api/trading/get-tickers
 */
export const tickers: Resource = {
  name: 'tickers',
  polled: 'always',
  everyMs: 30_000,
  gives: ['openInterest', 'funding', 'prices', 'volumes'],
  needs: ['instruments'],
  weight: 0,
  request: { method: 'GET', path: '/derivatives/api/v3/tickers' },
  parse(body, receivedAtMs, known) {
    const answer = readArray(readAnswer(body).tickers, 'tickers');
    const nextFundingMs = (Math.floor(receivedAtMs / HOUR_MS) + 1) * HOUR_MS;
    const { rows, refused } = readContractRows(answer, 'tickers', known.instruments);
    const trading = rows.filter(({ row }) => row.suspended !== true);
    return readTables(
      { rows: trading, refused },
      {
        openInterest: parseOpenInterest,
        funding: (market) => parseFunding(market, nextFundingMs),
        prices: priceReader({ mark: 'markPrice', index: 'indexPrice' }, readPositiveNumber),
        volumes: volumeReader({ value: 'volumeQuote', coins: 'vol24h' }, readNumberAmount),
      },
    );
  },
};

function readMark({ row, instrument: { symbol } }: ContractRow): number {
  return readPositiveNumber(row.markPrice, `${symbol}.markPrice`);
}

function parseOpenInterest(market: ContractRow): OpenInterest {
  const {
    row,
    instrument: { coin, symbol },
  } = market;
  const coins = notNegative(readNumber(row.openInterest, `${symbol}.openInterest`), `${symbol}.openInterest`);
  return { coin, symbol, contracts: coins, coins, value: roundTo(coins * readMark(market), 2) };
}

function parseFunding(market: ContractRow, nextFundingMs: number): Funding {
  const {
    row,
    instrument: { coin, symbol },
  } = market;
  const rate = roundTo(
    readNumber(row.fundingRate, `${symbol}.fundingRate`) / readMark(market),
    RATE_DECIMALS,
  );
  return { coin, symbol, rate, periodHours: 1, nextFundingMs };
}
