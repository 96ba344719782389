import { DAY_MS } from '@crosstape/core';
import { readArray, readDecimal, readIntegerText } from '../reading.ts';
import { sampleOf, type VenueSamples, venueSamples } from '../venue-samples.ts';
import { unwrap } from './answer.ts';
import { productOf } from './product.ts';

const ROWS_MAX = 100;

/**
 * What was paid, newest first and by page:
 * ```json
 * {"code":"00000","msg":"success","requestTime":1700533773477,"data":[{"symbol":"BTCUSDT","fundingRate":"-0.000024",
 *   "fundingTime":"1761667200000"}]}
 * ```
 * Shape [C]. How far back it reaches is not known [K].
 * https://www.bitget.com/api-doc/contract/market/Get-History-Funding-Rate
 */
const funding = venueSamples({
  kind: 'funding',
  name: 'history-fund-rate',
  weight: 1,
  spanMs: 365 * DAY_MS,
  reachMs: 365 * DAY_MS,
  pagesMax: 25,
  rowsMax: ROWS_MAX,
  order: 'newestFirst',
  request: ({ market: { symbol }, page = 1 }) => ({
    method: 'GET',
    path: `/api/v2/mix/market/history-fund-rate?productType=${productOf(symbol)}&symbol=${encodeURIComponent(symbol)}&pageSize=${ROWS_MAX}&pageNo=${page}`,
  }),
  rows: (body) => readArray(unwrap(body), 'data'),
  sample: sampleOf(['fundingTime', readIntegerText], ['fundingRate', readDecimal]),
});

export const histories: readonly VenueSamples[] = [funding];
