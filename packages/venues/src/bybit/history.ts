import { HOUR_MS } from '@crosstape/core';
import { readAmount, readArray, readDecimal, readIntegerText, readObject, readShare } from '../reading.ts';
import { sampleOf, spanEndMs, type VenueSamples, venueSamples } from '../venue-samples.ts';
import { readResult } from './answer.ts';

const ROWS_MAX = 200;
const RATIO_ROWS_MAX = 500;
/** Most contracts pay every 8 hours; where rows come more often, an answer is full before it reaches back this far. */
const FUNDING_SPAN_MS = ROWS_MAX * 8 * HOUR_MS;

/**
 * What was open at full hours, newest first [D]:
 * ```json
 * {"retCode":0,"retMsg":"OK","result":{"symbol":"BTCUSDT","category":"linear","list":[{"openInterest":"63910691.0",
 *   "singleOpenInterest":"31955346","timestamp":"1780963200000"}],"nextPageCursor":""},"retExtInfo":{},"time":1672053548579}
 * ```
 * In coins; `openInterest` counts both sides, and rows from before 2026 may lack the other figure [K].
 * https://bybit-exchange.github.io/docs/v5/market/open-interest
 */
const openInterest = venueSamples({
  kind: 'openInterest',
  name: 'open-interest',
  weight: 1,
  spanMs: ROWS_MAX * HOUR_MS,
  rowsMax: ROWS_MAX,
  order: 'newestFirst',
  request: ({ market: { symbol }, fromMs, toMs }) => ({
    method: 'GET',
    path: `/v5/market/open-interest?category=linear&symbol=${encodeURIComponent(symbol)}&intervalTime=1h&startTime=${fromMs}&endTime=${toMs - 1}&limit=${ROWS_MAX}`,
  }),
  rows: (body) => readArray(readResult(body).list, 'list'),
  sample: (row, what) => {
    const { timestamp, openInterest: both, singleOpenInterest: single } = readObject(row, what);
    const value = single
      ? readAmount(single, `${what}.singleOpenInterest`)
      : readAmount(both, `${what}.openInterest`) / 2;
    return { ts: readIntegerText(timestamp, `${what}.timestamp`), value };
  },
});

/**
 * What was paid, newest first [D]:
 * ```json
 * {"retCode":0,"retMsg":"OK","result":{"category":"linear","list":[{"symbol":"ETHPERP","fundingRate":"0.0001",
 *   "fundingRateTimestamp":"1672041600000"}]},"retExtInfo":{},"time":1672051897447}
 * ```
 * A start without an end is refused [K].
 * https://bybit-exchange.github.io/docs/v5/market/history-fund-rate
 */
const funding = venueSamples({
  kind: 'funding',
  name: 'funding-history',
  weight: 1,
  spanMs: FUNDING_SPAN_MS,
  rowsMax: ROWS_MAX,
  order: 'newestFirst',
  request: ({ market: { symbol }, fromMs, toMs }) => ({
    method: 'GET',
    path: `/v5/market/funding/history?category=linear&symbol=${encodeURIComponent(symbol)}&startTime=${fromMs}&endTime=${toMs - 1}&limit=${ROWS_MAX}`,
  }),
  rows: (body) => readArray(readResult(body).list, 'list'),
  sample: sampleOf(['fundingRateTimestamp', readIntegerText], ['fundingRate', readDecimal]),
});

/**
 * The share of holders that is long, newest first [D]:
 * ```json
 * {"retCode":0,"retMsg":"OK","result":{"list":[{"symbol":"BTCUSDT","buyRatio":"0.49","sellRatio":"0.51",
 *   "timestamp":"1696262400000"}],"nextPageCursor":"lastid%3D0%26lasttime%3D1696262400"},"retExtInfo":{},"time":1731567491688}
 * ```
 * Since July 2020, of contracts that settle in USDT [D]. The time is the end of what is described: a row of five minutes
 * was there within them [C].
 * https://bybit-exchange.github.io/docs/v5/market/long-short-ratio
 */
const globalLongs = venueSamples({
  kind: 'globalLongs',
  name: 'account-ratio',
  covers: (symbol) => symbol.endsWith('USDT'),
  weight: 1,
  spanMs: RATIO_ROWS_MAX * HOUR_MS,
  rowsMax: RATIO_ROWS_MAX,
  order: 'newestFirst',
  request: ({ market: { symbol }, fromMs, toMs }) => ({
    method: 'GET',
    path: `/v5/market/account-ratio?category=linear&symbol=${encodeURIComponent(symbol)}&period=1h&startTime=${fromMs}&endTime=${spanEndMs({ toMs })}&limit=${RATIO_ROWS_MAX}`,
  }),
  rows: (body) => readArray(readResult(body).list, 'list'),
  sample: sampleOf(['timestamp', readIntegerText], ['buyRatio', readShare]),
});

export const histories: readonly VenueSamples[] = [funding, openInterest, globalLongs];
