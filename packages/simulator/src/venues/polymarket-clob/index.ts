import { simulateVenue } from '../run-wire.ts';
import { restLimits, restRoutes } from './rest.ts';

/** Polymarket's order books. The answer to a caller over the limits is a guess [K]. */
export const polymarketClob = simulateVenue({
  shape: { id: 'polymarket-clob', share: 0, basisBps: 0, latencyMs: 0, listed: 0 },
  routes: restRoutes,
  limits: restLimits,
  overLimit: () => ({ status: 429, type: 'text/plain', body: 'error code: 1015' }),
  notFound: { status: 404, type: 'text/plain', body: '404 page not found' },
  sockets: [],
});
