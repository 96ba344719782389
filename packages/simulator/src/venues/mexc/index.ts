import type { VenueShape } from '../../market/venue-market.ts';
import { simulateVenue } from '../run-wire.ts';
import { restLimits, restRoutes } from './rest.ts';
import { publicSocket } from './socket.ts';

const MEXC: VenueShape = { id: 'mexc', share: 0.3, basisBps: 3, latencyMs: 120, listed: 1 };

/** The answer to a caller over the limit, with HTTP 200 [C; the status: K]. */
const TOO_MANY = '{"success":false,"code":510,"message":"Requests are too frequent, please try again later"}';

/** MEXC's contracts: public calls and the trades of its socket. */
export const mexc = simulateVenue({
  shape: MEXC,
  routes: restRoutes,
  limits: restLimits,
  overLimit: () => ({ status: 200, type: 'application/json', body: TOO_MANY }),
  notFound: {
    status: 404,
    type: 'application/json',
    body: '{"success":false,"code":404,"message":"Not Found"}',
  },
  sockets: [publicSocket],
});
