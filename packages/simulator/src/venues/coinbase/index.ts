import { simulateVenue } from '../run-wire.ts';
import { restRoutes } from './rest.ts';
import { feedSocket } from './socket.ts';

/** Coinbase Exchange, public calls: 10 a second per IP and 15 at once [D], which is 15 in any second. */
export const coinbase = simulateVenue({
  shape: { id: 'coinbase', share: 0.3, basisBps: 1.2, latencyMs: 40, listed: 0.85 },
  routes: restRoutes,
  limits: [{ name: 'requests', spanMs: 1000, max: 15 }],
  overLimit: () => ({
    status: 429,
    type: 'application/json',
    body: '{"message":"Public rate limit exceeded"}',
  }),
  notFound: { status: 404, type: 'application/json', body: '{"message":"NotFound"}' },
  sockets: [feedSocket],
});
