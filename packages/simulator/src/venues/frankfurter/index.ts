import { DAY_MS } from '@crosstape/core';
import { bankTimeMs, Currencies } from '../../market/currencies.ts';
import { cacheHeaders } from '../http-cache.ts';
import { simulateVenue } from '../run-wire.ts';
import { Reply } from '../wire.ts';

/** The rate of a day is available from this time of the day. */
const KNOWN_AT_MS = 15 * 3_600_000;

/** Frankfurter's second version, one pair only. No limit is published [D]. */
export const frankfurter = simulateVenue({
  shape: { id: 'frankfurter', share: 0, basisBps: 0, latencyMs: 0, listed: 0 },
  routes: [
    {
      path: '/v2/rate/:base/:quote',
      answer({ market, params, nowMs }) {
        const { base, quote } = params;
        if (base !== 'USD' || quote !== 'KRW') return new Reply({ status: 404, message: 'not found' }, 404);
        const atMs = bankTimeMs(Math.floor((nowMs - KNOWN_AT_MS) / DAY_MS) * DAY_MS + KNOWN_AT_MS);
        const rate = Math.round(new Currencies(market.market.seed).usdKrw(atMs) * 100) / 100;
        const body = { date: new Date(atMs).toISOString().slice(0, 10), base, quote, rate };
        return new Reply(body, 200, cacheHeaders(nowMs, cachedSinceMs(nowMs), DAY_MS / 1_000));
      },
    },
  ],
  limits: [{ name: 'requests', spanMs: 60_000, max: 30 }],
  overLimit: () => ({ status: 429, type: 'text/plain', body: 'Too Many Requests' }),
  notFound: { status: 404, type: 'application/json', body: '{"status":404,"message":"not found"}' },
  sockets: [],
});

/** Its CDN keeps an answer until midnight UTC, and drops it when the rate of the day is published [D]. */
function cachedSinceMs(nowMs: number): number {
  const midnightMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  return nowMs >= midnightMs + KNOWN_AT_MS ? midnightMs + KNOWN_AT_MS : midnightMs;
}
