import type { VenueShape } from '../../market/venue-market.ts';
import { simulateVenue } from '../run-wire.ts';
import { candles } from './candles.ts';
import { restRoutes } from './rest.ts';
import { publicSocket } from './socket.ts';

const KRAKEN: VenueShape = {
  id: 'kraken',
  share: 0.08,
  basisBps: 3,
  latencyMs: 70,
  listed: 0.8,
  periodHours: 1,
};

/** Kraken Futures; the linear perpetuals have a market. */
export const kraken = simulateVenue({
  shape: KRAKEN,
  routes: [...restRoutes, candles],
  limits: [],
  overLimit: () => ({
    status: 200,
    type: 'application/json',
    body: '{"result":"error","error":"apiLimitExceeded"}',
  }),
  notFound: {
    status: 404,
    type: 'application/json',
    body: '{"result":"error","error":"notFound"}',
  },
  sockets: [publicSocket],
});
