import { simulateVenue } from '../run-wire.ts';
import { restLimits, restRoutes } from './rest.ts';

const TOO_MANY = '{"jsonrpc":"2.0","error":{"code":10028,"message":"too_many_requests"},"testnet":false}';
const NO_METHOD = '{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"testnet":false}';

/** Deribit's options, only over REST. The HTTP status of a rate-limit error is not documented [K]. */
export const deribit = simulateVenue({
  shape: { id: 'deribit', share: 0, basisBps: 0, latencyMs: 50, listed: 0.12 },
  routes: restRoutes,
  limits: restLimits,
  overLimit: () => ({ status: 400, type: 'application/json', body: TOO_MANY }),
  notFound: { status: 400, type: 'application/json', body: NO_METHOD },
  sockets: [],
});
