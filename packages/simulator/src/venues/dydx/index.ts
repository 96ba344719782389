import { simulateVenue } from '../run-wire.ts';
import type { VenueSimulator } from '../venue-simulator.ts';
import { candles } from './candles.ts';
import { historicalFunding } from './historical-funding.ts';
import { perpetualMarkets } from './markets.ts';
import { socket } from './socket.ts';
import { trades } from './trades.ts';

/**
 * dYdX's v4 indexer: bare coins (a unit of `PEPE-USD` is one PEPE), funding every hour, the oracle as the only price,
 * liquidations among the trades. 100 requests in 10 s, then 429 [D].
 */
export const dydx: VenueSimulator = simulateVenue({
  shape: {
    id: 'dydx',
    share: 0.05,
    basisBps: 3,
    latencyMs: 900,
    listed: 0.8,
    periodHours: 1,
  },
  routes: [perpetualMarkets, trades, candles, historicalFunding],
  limits: [{ name: 'requests', spanMs: 10_000, max: 100 }],
  overLimit: () => ({
    status: 429,
    type: 'application/json',
    body: '{"errors":[{"msg":"Too many requests"}]}',
  }),
  notFound: { status: 404, type: 'application/json', body: '{"errors":[{"msg":"Not Found"}]}' },
  sockets: [socket],
});
