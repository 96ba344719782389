import { HOUR_MS } from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
import { readDecimal, readIntegerText, readObject, readRows, readText } from '../reading.ts';
import { Malformed, type Resource } from '../venue.ts';
import { readAnswer } from './answer.ts';

/**
 * The rate of every swap that will be paid at `fundingTime`, an estimate until then; the one after it follows at
 * `nextFundingTime`, and the time between them is the period, which differs by swap and may change:
 * ```json
 * {"formulaType":"withRate","fundingRate":"-0.00042703","fundingTime":"1785888000000","impactValue":"10000",
 *  "instId":"BTC-USDT-SWAP","instType":"SWAP","interestRate":"0.0001","maxFundingRate":"0.00375",
 *  "method":"current_period","minFundingRate":"-0.00375","nextFundingRate":"","nextFundingTime":"1785916800000",
 *  "premium":"-0.00053","prevFundingTime":"1785859200000","settFundingRate":"-0.00019965","settState":"settled",
 *  "ts":"1785870000123"}
 * ```
 * Shape [T]; `instId=ANY`, and that this difference is the period [D]; 10 requests in 2 s [M, N]. In the last period
 * before a change it is already the new one [K].
 * https://www.okx.com/docs-v5/en/#public-data-rest-api-get-funding-rate
 */
export const funding: Resource = {
  name: 'funding-rate',
  polled: 'always',
  everyMs: 30_000,
  gives: ['funding'],
  needs: ['instruments'],
  weight: 1,
  request: { method: 'GET', path: '/api/v5/public/funding-rate?instId=ANY' },
  parse(body, _receivedAtMs, known) {
    const ours = bySymbol(known.instruments);
    const data = readAnswer(body);
    const { rows, refused } = readRows(data.length, (i) => {
      const row = readObject(data[i], 'funding rate');
      const symbol = readText(row.instId, 'instId');
      const instrument = ours.get(symbol);
      // Where the venue does not say when it pays next, the period is not known, and none is assumed.
      if (!instrument || !row.nextFundingTime) return undefined;
      const nextFundingMs = readIntegerText(row.fundingTime, `${symbol}.fundingTime`);
      const afterMs = readIntegerText(row.nextFundingTime, `${symbol}.nextFundingTime`);
      if (afterMs <= nextFundingMs)
        throw new Malformed(`${symbol} pays next at ${afterMs}, not after ${nextFundingMs}`);
      return {
        coin: instrument.coin,
        symbol,
        rate: readDecimal(row.fundingRate, `${symbol}.fundingRate`),
        periodHours: (afterMs - nextFundingMs) / HOUR_MS,
        nextFundingMs,
      };
    });
    return { funding: rows, refused };
  },
};
