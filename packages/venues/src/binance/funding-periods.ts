import type { FundingPeriod } from '@crosstape/core';
import { readArray, readInteger, readObject, readRows, readText } from '../reading.ts';
import { Malformed, type Resource } from '../venue.ts';
import { readAnswer } from './answer.ts';

/** What a contract pays that the venue does not list among the adjusted ones. */
const USUAL_HOURS = 8;

/**
 * The contracts whose funding was adjusted, and only those:
 * ```json
 * [{"symbol":"BLZUSDT","adjustedFundingRateCap":"0.03000000","adjustedFundingRateFloor":"-0.03000000",
 *   "fundingIntervalHours":4,"disclaimer":false}]
 * ```
 * Whoever is absent pays every 8 hours [D]. That is said by absence, so an answer that names somebody in a way that we
 * cannot read says nothing of anybody. It costs no weight; with `fundingRate` it shares 500 requests in 5 minutes [D].
 * Periods change within the day, hence the cadence.
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Get-Funding-Rate-Info
 */
export const fundingPeriods: Resource = {
  name: 'fundingInfo',
  polled: 'always',
  everyMs: 60_000,
  gives: ['fundingPeriods'],
  needs: ['instruments'],
  weight: 0,
  request: { method: 'GET', path: '/fapi/v1/fundingInfo' },
  parse(body, _receivedAtMs, { instruments = [] }) {
    const adjusted = readArray(readAnswer(body), 'answer').map((row, i) => {
      const contract = readObject(row, `answer[${i}]`);
      return { ...contract, symbol: readText(contract.symbol, `answer[${i}].symbol`) } as const;
    });
    const rowOf = new Map<string, Readonly<Record<string, unknown>>>(
      adjusted.map((row) => [row.symbol, row]),
    );
    const { rows, refused } = readRows(instruments.length, (i): FundingPeriod | undefined => {
      const instrument = instruments[i];
      if (!instrument) return undefined;
      const { coin, symbol } = instrument;
      const row = rowOf.get(symbol);
      return { coin, symbol, periodHours: row ? readHours(row.fundingIntervalHours, symbol) : USUAL_HOURS };
    });
    return { fundingPeriods: rows, refused };
  },
};

function readHours(value: unknown, symbol: string): number {
  const hours = readInteger(value, `${symbol}.fundingIntervalHours`);
  if (hours === 0) throw new Malformed(`${symbol}.fundingIntervalHours is zero`);
  return hours;
}
