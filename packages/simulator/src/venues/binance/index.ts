import type { VenueShape } from '../../market/venue-market.ts';
import { simulateVenue } from '../run-wire.ts';
import { restLimits, restRoutes } from './rest.ts';
import { streamSockets } from './socket.ts';

const TOO_MANY = {
  code: -1003,
  msg: 'Too many requests; current limit of IP(127.0.0.1) is 2400 requests per minute. Please use the websocket for live updates to avoid polling the API.',
};

const BINANCE: VenueShape = { id: 'binance', share: 2.4, basisBps: 1.4, latencyMs: 40, listed: 1 };

/** Binance's USD-margined contracts. */
export const binance = simulateVenue({
  shape: BINANCE,
  routes: restRoutes,
  limits: restLimits,
  overLimit: () => ({ status: 429, type: 'application/json', body: JSON.stringify(TOO_MANY) }),
  notFound: { status: 404, type: 'text/html', body: '<html><body><h2>404 Not found</h2></body></html>' },
  sockets: streamSockets,
});
