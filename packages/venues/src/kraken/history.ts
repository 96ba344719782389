import { DAY_MS, HOUR_MS } from '@crosstape/core';
import { readArray, readIsoTime, readNumber, readObject } from '../reading.ts';
import { type VenueSamples, venueSamples } from '../venue-samples.ts';
import { readAnswer } from './answer.ts';

/** Ours: an answer has every hour since the listing, and no more than these are read. */
const REACH_MS = 365 * DAY_MS;

/**
 * Every rate since the listing in one answer, oldest first [D]:
 * ```json
 * {"result":"success","rates":[{"timestamp":"2018-08-31T16:00:00.000Z","fundingRate":1.0327058177,
 *   "relativeFundingRate":0.0000182450}],"serverTime":"2018-08-31T16:27:37.000Z"}
 * ```
 * A rate is dated when it is set, and settled an hour later [K].
 * https://docs.kraken.com/api-reference/historical-funding-rates/historical-funding-rates
 */
const funding = venueSamples({
  kind: 'funding',
  name: 'historical-funding-rates',
  weight: 0,
  spanMs: REACH_MS,
  reachMs: REACH_MS,
  pagesMax: 1,
  rowsMax: Number.POSITIVE_INFINITY,
  periodHours: 1,
  order: 'oldestFirst',
  request: ({ market: { symbol } }) => ({
    method: 'GET',
    path: `/derivatives/api/v3/historical-funding-rates?symbol=${encodeURIComponent(symbol)}`,
  }),
  rows: (body) => readArray(readAnswer(body).rates, 'rates').slice(-REACH_MS / HOUR_MS),
  sample: (row, what) => {
    const { timestamp, relativeFundingRate } = readObject(row, what);
    return {
      ts: readIsoTime(timestamp, `${what}.timestamp`) + HOUR_MS,
      value: readNumber(relativeFundingRate, `${what}.relativeFundingRate`),
    };
  },
});

export const histories: readonly VenueSamples[] = [funding];
