import type { OpenInterest } from '@crosstape/core';
import { roundTo } from '@crosstape/core';
import { readAmount, readArray, readDecimal, readPositiveDecimal, readTables } from '../reading.ts';
import { type ContractRow, priceReader, readContractRows, volumeReader } from '../contract-rows.ts';
import { Malformed, type Resource } from '../venue.ts';
import { unwrap } from './answer.ts';
import type { Product } from './product.ts';

/**
 * Open interest, prices and volume of every contract:
 * ```json
 * {"symbol":"BTCUSDT","lastPr":"29904.5","askPr":"29904.5","bidPr":"29903.5","bidSz":"0.5091","askSz":"2.2694",
 *  "high24h":"0","low24h":"0","ts":"1695794271400","change24h":"0","baseVolume":"0","quoteVolume":"0",
 *  "usdtVolume":"0","openUtc":"0","changeUtc24h":"0","indexPrice":"29132.353333","fundingRate":"-0.0007",
 *  "holdingAmount":"125.6844","deliveryStartTime":null,"deliveryTime":null,"deliveryStatus":"delivery_normal",
 *  "open24h":"0","markPrice":"29131.2"}
 * ```
 * Shape [C]. `holdingAmount` is in the base coin; that it counts one side is [K]. `baseVolume` is in the base coin,
 * `quoteVolume` in the quote currency [C].
 * https://www.bitget.com/api-doc/contract/market/Get-All-Symbol-Ticker
 */
export function tickers({ type, prefix }: Product): Resource {
  return {
    name: `${prefix}tickers`,
    polled: 'always',
    everyMs: 30_000,
    gives: ['openInterest', 'prices', 'volumes'],
    needs: ['instruments'],
    weight: 1,
    request: { method: 'GET', path: `/api/v2/mix/market/tickers?productType=${type}` },
    parse(body, _, known) {
      const rows = readContractRows(readArray(unwrap(body), 'data'), 'data', known.instruments);
      return readTables(rows, {
        openInterest: parseOpenInterest,
        prices: priceReader({ mark: 'markPrice', index: 'indexPrice' }, readPositiveDecimal),
        volumes: volumeReader({ value: 'quoteVolume', coins: 'baseVolume' }, readAmount),
      });
    },
  };
}

function parseOpenInterest({ row, instrument: { coin, symbol } }: ContractRow): OpenInterest {
  const mark = readPositiveDecimal(row.markPrice, `${symbol}.markPrice`);
  const coins = readDecimal(row.holdingAmount, `${symbol}.holdingAmount`);
  if (coins < 0) throw new Malformed(`${symbol}.holdingAmount is negative: ${coins}`);
  return { coin, symbol, contracts: coins, coins, value: roundTo(coins * mark, 2) };
}
