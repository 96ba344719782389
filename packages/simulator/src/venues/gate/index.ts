import { simulateVenue } from '../run-wire.ts';
import { restLimits, restRoutes } from './rest.ts';
import { publicSocket } from './socket.ts';

const TOO_MANY = '{"label":"TOO_MANY_REQUESTS","message":"Request Rate limit Exceeded"}';

/** Gate's futures that settle in USDT: fourth version of the calls and of the socket. */
export const gate = simulateVenue({
  shape: { id: 'gate', share: 0.3, basisBps: 2.6, latencyMs: 140, listed: 0.95 },
  routes: restRoutes,
  limits: restLimits,
  overLimit: () => ({ status: 429, type: 'application/json', body: TOO_MANY }),
  notFound: {
    status: 404,
    type: 'application/json',
    body: '{"label":"NOT_FOUND","message":"Request API not found"}',
  },
  sockets: [publicSocket],
});
