import { simulateVenue } from '../run-wire.ts';
import { restLimits, restRoutes } from './rest.ts';

/** Polymarket's catalogue, Gamma. The answer to a caller over the limits is a guess [K]. */
export const polymarket = simulateVenue({
  shape: { id: 'polymarket', share: 0, basisBps: 0, latencyMs: 0, listed: 0 },
  routes: restRoutes,
  limits: restLimits,
  overLimit: () => ({ status: 429, type: 'text/plain', body: 'error code: 1015' }),
  notFound: {
    status: 404,
    type: 'application/json',
    body: '{"type":"not found error","error":"route not found"}',
  },
  sockets: [],
});
