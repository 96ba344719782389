import { simulateVenue } from '../run-wire.ts';
import { restLimits, restRoutes } from './rest.ts';
import { publicSocket } from './socket.ts';

const TOO_MANY = '{"code":"429","msg":"Too Many Requests","data":null}';

/** Bitget's futures that settle in USDT and USDC: second version of the calls, third of the public socket. */
export const bitget = simulateVenue({
  shape: { id: 'bitget', share: 0.35, basisBps: 2.2, latencyMs: 90, listed: 0.9 },
  routes: restRoutes,
  limits: restLimits,
  overLimit: () => ({ status: 429, type: 'application/json', body: TOO_MANY }),
  notFound: {
    status: 404,
    type: 'application/json',
    body: '{"code":"40404","msg":"Request URL NOT FOUND","data":null}',
  },
  sockets: [publicSocket],
});
