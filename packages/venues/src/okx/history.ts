import { DAY_MS, HOUR_MS } from '@crosstape/core';
import {
  readAmount,
  readArray,
  readDecimal,
  readIntegerText,
  readObject,
  readRatioShare,
} from '../reading.ts';
import { type RatioKind, spanEndMs, type VenueSamples, venueSamples } from '../venue-samples.ts';
import { readAnswer } from './answer.ts';

/** Below `/rubik/stat/contracts`: rows of an answer, and of the newest hours that the venue has [K]. */
const STAT_ROWS_MAX = 100;
const STAT_HOURS = 1440;
const FUNDING_ROWS_MAX = 400;
/** Most swaps pay every 8 hours; where rows come more often, an answer is full before it reaches back this far. */
const FUNDING_SPAN_MS = FUNDING_ROWS_MAX * 8 * HOUR_MS;

/**
 * What was open at full hours, newest first: time, contracts, coins, dollars [C]:
 * ```json
 * {"code":"0","msg":"","data":[["1701417600000","731377.57500501","111","8888888"]]}
 * ```
 * The number of columns is not sure, and one source says that the history ended in 2024 [K]: contracts are the second
 * column in every sample. 5 requests in 2 s per instrument [M].
 * https://www.okx.com/docs-v5/en/#trading-statistics-rest-api-get-contract-open-interest-history
 */
const openInterest = venueSamples({
  kind: 'openInterest',
  name: 'open-interest-history',
  weight: 1,
  perMinute: 120,
  spanMs: STAT_ROWS_MAX * HOUR_MS,
  reachMs: (STAT_HOURS - 1) * HOUR_MS,
  rowsMax: STAT_ROWS_MAX,
  order: 'newestFirst',
  request: ({ market: { symbol }, fromMs, toMs }) => ({
    method: 'GET',
    path: `/api/v5/rubik/stat/contracts/open-interest-history?instId=${encodeURIComponent(symbol)}&period=1H&begin=${fromMs}&end=${toMs - 1}&limit=${STAT_ROWS_MAX}`,
  }),
  rows: readAnswer,
  sample: (row, what) => {
    const [ts, contracts] = readArray(row, what);
    return {
      ts: readIntegerText(ts, `${what} time`),
      value: readAmount(contracts, `${what} contracts`),
    };
  },
});

/**
 * What was paid, newest first, begun after `before` and before `after` [D]:
 * ```json
 * {"code":"0","msg":"","data":[{"fundingRate":"0.0000746604960499","fundingTime":"1703059200000",
 *   "instId":"BTC-USD-SWAP","instType":"SWAP","method":"next_period","realizedRate":"0.0000746572360545"}]}
 * ```
 * `realizedRate` is what was paid; three months of it [D]. 10 requests in 2 s [M].
 * https://www.okx.com/docs-v5/en/#public-data-rest-api-get-funding-rate-history
 */
const funding = venueSamples({
  kind: 'funding',
  name: 'funding-rate-history',
  weight: 1,
  perMinute: 120,
  spanMs: FUNDING_SPAN_MS,
  reachMs: 92 * DAY_MS,
  rowsMax: FUNDING_ROWS_MAX,
  order: 'newestFirst',
  request: ({ market: { symbol }, fromMs, toMs }) => ({
    method: 'GET',
    path: `/api/v5/public/funding-rate-history?instId=${encodeURIComponent(symbol)}&before=${fromMs - 1}&after=${toMs}&limit=${FUNDING_ROWS_MAX}`,
  }),
  rows: readAnswer,
  sample: (row, what) => {
    const { fundingTime, realizedRate, fundingRate } = readObject(row, what);
    return {
      ts: readIntegerText(fundingTime, `${what}.fundingTime`),
      value: readDecimal(realizedRate || fundingRate, `${what}.realizedRate`),
    };
  },
});

/**
 * Long/short ratios, newest first. The rows are those of `positioning.ts`, which shares the limit of the second call: 5
 * requests in 2 s per instrument [M], three of them for its periods. Whether `begin` is included is not sure [K].
 * https://www.okx.com/docs-v5/en/#trading-statistics-rest-api-get-contract-long-short-ratio
 */
function longs(kind: RatioKind, name: string): VenueSamples {
  return venueSamples({
    kind,
    name,
    weight: 1,
    perMinute: 60,
    spanMs: STAT_ROWS_MAX * HOUR_MS,
    reachMs: (STAT_HOURS - 1) * HOUR_MS,
    rowsMax: STAT_ROWS_MAX,
    order: 'newestFirst',
    request: ({ market: { symbol }, fromMs, toMs }) => ({
      method: 'GET',
      path: `/api/v5/rubik/stat/contracts/${name}?instId=${encodeURIComponent(symbol)}&period=1H&begin=${fromMs - 1}&end=${spanEndMs({ toMs })}&limit=${STAT_ROWS_MAX}`,
    }),
    rows: readAnswer,
    sample: (row, what) => {
      const [ts, ratio] = readArray(row, what);
      return {
        ts: readIntegerText(ts, `${what} time`),
        value: readRatioShare(ratio, `${what} ratio`),
      };
    },
  });
}

export const histories: readonly VenueSamples[] = [
  funding,
  openInterest,
  longs('globalLongs', 'long-short-account-ratio-contract'),
  longs('topLongs', 'long-short-position-ratio-contract-top-trader'),
];
