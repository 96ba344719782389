import { DAY_MS, HOUR_MS } from '@crosstape/core';
import { readAmount, readArray, readDecimal, readInteger, readObject, readShare } from '../reading.ts';
import { type RatioKind, sampleOf, spanEndMs, type VenueSamples, venueSamples } from '../venue-samples.ts';
import { readAnswer } from './answer.ts';

/** Below `/futures/data`: rows of an answer, days of history, and what positioning leaves of the limit for each call. */
const DATA_ROWS_MAX = 500;
const DATA_DAYS = 29;
const DATA_PER_MINUTE = 24;
const FUNDING_ROWS_MAX = 1000;

/**
 * What was open at full hours, oldest first [D]:
 * ```json
 * [{"symbol":"BTCUSDT","sumOpenInterest":"20403.12345678","sumOpenInterestValue":"176196512.12345678",
 *   "CMCCirculatingSupply":"165880.538","timestamp":1583127900000}]
 * ```
 * In coins; of the last month only [D].
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Open-Interest-Statistics
 */
const openInterest = venueSamples({
  kind: 'openInterest',
  name: 'openInterestHist',
  weight: 0,
  perMinute: DATA_PER_MINUTE,
  spanMs: DATA_ROWS_MAX * HOUR_MS,
  reachMs: DATA_DAYS * DAY_MS,
  rowsMax: DATA_ROWS_MAX,
  order: 'oldestFirst',
  request: ({ market: { symbol }, fromMs, toMs }) => ({
    method: 'GET',
    path: `/futures/data/openInterestHist?symbol=${encodeURIComponent(symbol)}&period=1h&startTime=${fromMs}&endTime=${toMs - 1}&limit=${DATA_ROWS_MAX}`,
  }),
  rows: (body) => readArray(readAnswer(body), 'answer'),
  sample: sampleOf(['timestamp', readInteger], ['sumOpenInterest', readAmount]),
});

/**
 * What was paid, oldest first [D]:
 * ```json
 * [{"symbol":"BTCUSDT","fundingRate":"-0.03750000","fundingTime":1570608000000,"markPrice":"34287.54619963"}]
 * ```
 * With the list of periods it shares 500 requests in 5 minutes [D]. A time may be some milliseconds late [C].
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Get-Funding-Rate-History
 */
const funding = venueSamples({
  kind: 'funding',
  name: 'fundingRate',
  weight: 1,
  perMinute: 60,
  spanMs: FUNDING_ROWS_MAX * HOUR_MS,
  rowsMax: FUNDING_ROWS_MAX,
  order: 'oldestFirst',
  request: ({ market: { symbol }, fromMs, toMs }) => ({
    method: 'GET',
    path: `/fapi/v1/fundingRate?symbol=${encodeURIComponent(symbol)}&startTime=${fromMs}&endTime=${toMs - 1}&limit=${FUNDING_ROWS_MAX}`,
  }),
  rows: (body) => readArray(readAnswer(body), 'answer'),
  sample: sampleOf(['fundingTime', readInteger], ['fundingRate', readDecimal]),
});

/**
 * Long/short ratios of the last month, oldest first. The rows, and the two calls, are those of `positioning.ts`: the time
 * is the end of the hour that is described [D].
 */
function longs(kind: RatioKind, name: string): VenueSamples {
  return venueSamples({
    kind,
    name,
    weight: 0,
    perMinute: DATA_PER_MINUTE,
    spanMs: DATA_ROWS_MAX * HOUR_MS,
    reachMs: DATA_DAYS * DAY_MS,
    rowsMax: DATA_ROWS_MAX,
    order: 'oldestFirst',
    request: ({ market: { symbol }, fromMs, toMs }) => ({
      method: 'GET',
      path: `/futures/data/${name}?symbol=${encodeURIComponent(symbol)}&period=1h&startTime=${fromMs}&endTime=${spanEndMs({ toMs })}&limit=${DATA_ROWS_MAX}`,
    }),
    rows: (body) => readArray(readAnswer(body), 'answer'),
    sample: (row, what) => {
      const { timestamp, longAccount, longPosition } = readObject(row, what);
      return {
        ts: readInteger(timestamp, `${what}.timestamp`),
        value: readShare(longAccount ?? longPosition, `${what}.longAccount`),
      };
    },
  });
}

export const histories: readonly VenueSamples[] = [
  funding,
  openInterest,
  longs('globalLongs', 'globalLongShortAccountRatio'),
  longs('topLongs', 'topLongShortPositionRatio'),
];
