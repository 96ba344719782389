import { HOUR_MS } from '@crosstape/core';
import { readDecimal, readInteger, readObject } from '../reading.ts';
import { type VenueSamples, venueSamples } from '../venue-samples.ts';
import { readList } from './answer.ts';

const ROWS_MAX = 1000;
/** Most contracts pay every 8 hours; where rows come more often, an answer is full before it reaches back this far. */
const SPAN_MS = ROWS_MAX * 8 * HOUR_MS;

/**
 * What was paid, newest first, in seconds:
 * ```json
 * [{"t":1543968000,"r":"0.000157"}]
 * ```
 * Shape [C]; `from` and `to` in seconds [D].
 * https://www.gate.com/docs/developers/apiv4/en/#futures-market-historical-funding-rate
 */
const funding = venueSamples({
  kind: 'funding',
  name: 'funding_rate',
  weight: 1,
  spanMs: SPAN_MS,
  rowsMax: ROWS_MAX,
  order: 'newestFirst',
  request: ({ market: { symbol }, fromMs, toMs }) => ({
    method: 'GET',
    path: `/api/v4/futures/usdt/funding_rate?contract=${encodeURIComponent(symbol)}&from=${fromMs / 1000}&to=${toMs / 1000 - 1}&limit=${ROWS_MAX}`,
  }),
  rows: readList,
  sample: (row, what) => {
    const { t, r } = readObject(row, what);
    return { ts: readInteger(t, `${what}.t`) * 1000, value: readDecimal(r, `${what}.r`) };
  },
});

export const histories: readonly VenueSamples[] = [funding];
