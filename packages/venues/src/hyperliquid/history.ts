import { HOUR_MS } from '@crosstape/core';
import { readArray, readDecimal, readInteger } from '../reading.ts';
import { sampleOf, type VenueSamples, venueSamples } from '../venue-samples.ts';

/** Rows of one answer [K]. */
const ROWS_MAX = 500;
/** Further rows cost a weight of one for each 20 [D]. */
const ROWS_PER_WEIGHT = 20;
const WEIGHT = 20;

/**
 * What was paid at each full hour, oldest first [D]:
 * ```json
 * [{"coin":"BTC","fundingRate":"0.0000125","premium":"0.00029005","time":1769908800000}]
 * ```
 * `time` may be some milliseconds late [K]. The venue publishes no history of open interest.
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/info-endpoint/perpetuals#retrieve-historical-funding-rates
 */
const funding = venueSamples({
  kind: 'funding',
  name: 'fundingHistory',
  weight: WEIGHT + ROWS_MAX / ROWS_PER_WEIGHT,
  spanMs: ROWS_MAX * HOUR_MS,
  rowsMax: ROWS_MAX,
  order: 'oldestFirst',
  periodHours: 1,
  request: ({ market: { symbol }, fromMs, toMs }) => ({
    method: 'POST',
    path: '/info',
    body: { type: 'fundingHistory', coin: symbol, startTime: fromMs, endTime: toMs - 1 },
    weight: WEIGHT + Math.ceil((toMs - fromMs) / HOUR_MS / ROWS_PER_WEIGHT),
  }),
  rows: (body) => readArray(body, 'answer'),
  sample: sampleOf(['time', readInteger], ['fundingRate', readDecimal]),
});

export const histories: readonly VenueSamples[] = [funding];
