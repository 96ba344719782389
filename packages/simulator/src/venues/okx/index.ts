import type { VenueShape } from '../../market/venue-market.ts';
import { simulateVenue } from '../run-wire.ts';
import { restLimits, restRoutes } from './rest.ts';
import { publicSocket } from './socket.ts';

const OKX: VenueShape = { id: 'okx', share: 0.6, basisBps: 1.6, latencyMs: 60, listed: 0.9 };

/** OKX's swaps: public calls and the public socket of its fifth version. */
export const okx = simulateVenue({
  shape: OKX,
  routes: restRoutes,
  limits: restLimits,
  overLimit: () => ({
    status: 429,
    type: 'application/json',
    body: '{"msg":"Too Many Requests","code":"50011"}',
  }),
  notFound: { status: 404, type: 'application/json', body: '{"msg":"Not Found","code":"404"}' },
  sockets: [publicSocket],
});
