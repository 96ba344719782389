import { HOUR_MS } from '@crosstape/core';
import { readObject, readPositiveNumber, readText, wrong } from '../reading.ts';
import { Malformed, type Resource } from '../venue.ts';

/**
 * The rate of the day, blended from many central banks [D]:
 * ```json
 * {"date":"2026-11-13","base":"USD","quote":"KRW","rate":1468.21}
 * ```
 * It is taken to be of 00:00 UTC of its date, which may be that of the next day [D]. Its CDN keeps an
 * answer for up to a day on purpose (`max-age=86400`) [M], so asking once an hour is enough.
 * https://frankfurter.dev
 */
export const rate: Resource = {
  name: 'rate',
  polled: 'always',
  everyMs: HOUR_MS,
  // A day in the CDN, and three polls.
  freshMs: 27 * HOUR_MS,
  gives: ['exchangeRates'],
  weight: 1,
  request: { method: 'GET', path: '/v2/rate/USD/KRW' },
  parse(body, receivedAtMs) {
    // What was requested, unless the answer says otherwise.
    const { date, rate: price, ...pair } = readObject(body, 'answer');
    const base = readText(pair.base ?? 'USD', 'base');
    const quote = readText(pair.quote ?? 'KRW', 'quote');
    if (base !== 'USD' || quote !== 'KRW')
      throw new Malformed(`requested USD in KRW, got ${base} in ${quote}`);
    const asOfMs = Math.min(readDate(date), receivedAtMs);
    return {
      exchangeRates: [{ coin: 'USD', quote: 'KRW', rate: readPositiveNumber(price, 'rate'), asOfMs }],
    };
  },
};

function readDate(value: unknown): number {
  const timeMs =
    typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(timeMs)) throw wrong(value, 'date', 'a date');
  return timeMs;
}
