import type { Funding } from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
import {
  readArray,
  readDecimal,
  readIntegerText,
  present,
  readObject,
  readOptional,
  readPositiveDecimal,
  readRows,
  readText,
} from '../reading.ts';
import type { Resource } from '../venue.ts';
import { unwrap } from './answer.ts';
import type { Product } from './product.ts';

/**
 * The rate that will be paid, its period in hours and when, of every contract if none is named:
 * ```json
 * {"symbol":"BTCUSDT","fundingRate":"-0.000024","fundingRateInterval":"8","nextUpdate":"1761667200000",
 *  "minFundingRate":"-0.003","maxFundingRate":"0.003"}
 * ```
 * Shape [C]. Periods differ by contract and change, so they are read with each rate, never from the slow
 * `fundInterval` of the listing.
 * https://www.bitget.com/api-doc/contract/market/Get-Current-Funding-Rate
 */
export function funding({ type, prefix }: Product): Resource {
  return {
    name: `${prefix}current-fund-rate`,
    polled: 'always',
    everyMs: 30_000,
    gives: ['funding'],
    needs: ['instruments'],
    weight: 1,
    request: { method: 'GET', path: `/api/v2/mix/market/current-fund-rate?productType=${type}` },
    parse(body, _, known) {
      const listed = bySymbol(known.instruments);
      const rates = readArray(unwrap(body), 'data');
      const { rows, refused } = readRows(rates.length, (i, odd): Funding | undefined => {
        const row = readObject(rates[i], `data[${i}]`);
        const symbol = readText(row.symbol, `data[${i}].symbol`);
        const instrument = listed.get(symbol);
        if (!instrument) return undefined;
        const nextFundingMs = readOptional(row.nextUpdate, `${symbol}.nextUpdate`, readIntegerText, odd);
        return {
          coin: instrument.coin,
          symbol,
          rate: readDecimal(row.fundingRate, `${symbol}.fundingRate`),
          periodHours: readPositiveDecimal(row.fundingRateInterval, `${symbol}.fundingRateInterval`),
          ...present({ nextFundingMs }),
        };
      });
      return { funding: rows, refused };
    },
  };
}
