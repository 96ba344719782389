import { DAY_MS } from '@crosstape/core';
import { readArray, readInteger, readNumber, readObject } from '../reading.ts';
import { sampleOf, type VenueSamples, venueSamples } from '../venue-samples.ts';
import { readAnswer } from './answer.ts';

const ROWS_MAX = 100;

/**
 * What was paid, newest first and by page:
 * ```json
 * {"success":true,"code":0,"data":{"pageSize":100,"totalCount":21,"totalPage":1,"currentPage":1,"resultList":[
 *   {"symbol":"BTC_USDT","fundingRate":0.000266,"settleTime":1609804800000}]}}
 * ```
 * Shape [C].
 * https://www.mexc.com/api-docs/futures/market-endpoints
 */
const funding = venueSamples({
  kind: 'funding',
  name: 'funding_rate-history',
  weight: 1,
  spanMs: 365 * DAY_MS,
  reachMs: 365 * DAY_MS,
  pagesMax: 25,
  rowsMax: ROWS_MAX,
  order: 'newestFirst',
  request: ({ market: { symbol }, page = 1 }) => ({
    method: 'GET',
    path: `/api/v1/contract/funding_rate/history?symbol=${encodeURIComponent(symbol)}&page_num=${page}&page_size=${ROWS_MAX}`,
  }),
  rows: (body) => readArray(readObject(readAnswer(body), 'data').resultList, 'resultList'),
  sample: sampleOf(['settleTime', readInteger], ['fundingRate', readNumber]),
});

export const histories: readonly VenueSamples[] = [funding];
