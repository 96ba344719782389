import { DAY_MS, HOUR_MS } from '@crosstape/core';
import { readArray, readDecimal, readIsoTime, readObject } from '../reading.ts';
import { sampleOf, type VenueSamples, venueSamples } from '../venue-samples.ts';

const ROWS_MAX = 100;

/**
 * What was paid at full hours, newest first [D]:
 * ```json
 * {"historicalFunding":[{"ticker":"BTC-USD","rate":"0.000002375","price":"89993.8",
 *   "effectiveAt":"2025-12-08T16:00:00.219Z","effectiveAtHeight":"66623467"}]}
 * ```
 * How many rows an answer may have is not known [K].
 * https://docs.dydx.xyz/indexer-client/http#get-historical-funding
 */
const funding = venueSamples({
  kind: 'funding',
  name: 'historicalFunding',
  weight: 1,
  spanMs: ROWS_MAX * HOUR_MS,
  // Ours: a year would be 88 requests for each coin, which the candles need as well.
  reachMs: 92 * DAY_MS,
  rowsMax: ROWS_MAX,
  order: 'newestFirst',
  periodHours: 1,
  request: ({ market: { symbol }, toMs }) => ({
    method: 'GET',
    path: `/v4/historicalFunding/${encodeURIComponent(symbol)}?effectiveBeforeOrAt=${new Date(toMs - 1).toISOString()}&limit=${ROWS_MAX}`,
  }),
  rows: (body) => readArray(readObject(body, 'answer').historicalFunding, 'historicalFunding'),
  sample: sampleOf(['effectiveAt', readIsoTime], ['rate', readDecimal]),
});

export const histories: readonly VenueSamples[] = [funding];
