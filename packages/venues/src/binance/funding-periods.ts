import type { FundingPeriod } from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
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
 * Absent contracts pay every 8 hours [D]. Where a row has no name, that cannot be concluded: contracts that are absent
 * then keep the period that they had. It costs no weight; with `fundingRate` it shares 500 requests in 5 minutes [D].
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
  parse(body, _receivedAtMs, { instruments = [], fundingPeriods: before }) {
    const list = readArray(readAnswer(body), 'answer');
    const adjusted = readRows(list.length, (i) => {
      const row = readObject(list[i], `answer[${i}]`);
      return [readText(row.symbol, `answer[${i}].symbol`), row] as const;
    });
    const rowOf = new Map(adjusted.rows);
    const periodOf = bySymbol(before);
    const { rows, refused } = readRows(instruments.length, (i): FundingPeriod | undefined => {
      const instrument = instruments[i];
      if (!instrument) return undefined;
      const { coin, symbol } = instrument;
      const row = rowOf.get(symbol);
      if (!row && adjusted.refused.length > 0) return periodOf.get(symbol);
      return { coin, symbol, periodHours: row ? readHours(row.fundingIntervalHours, symbol) : USUAL_HOURS };
    });
    return { fundingPeriods: rows, refused: [...adjusted.refused, ...refused] };
  },
};

function readHours(value: unknown, symbol: string): number {
  const hours = readInteger(value, `${symbol}.fundingIntervalHours`);
  if (hours === 0) throw new Malformed(`${symbol}.fundingIntervalHours is zero`);
  return hours;
}
