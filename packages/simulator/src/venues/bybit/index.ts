import { simulateVenue } from '../run-wire.ts';
import type { VenueSimulator } from '../venue-simulator.ts';
import { NOT_FOUND, TOO_FREQUENT, TOO_MANY_VISITS } from './envelope.ts';
import { accountRatio } from './account-ratio.ts';
import { fundingHistory } from './funding-history.ts';
import { instruments } from './instruments.ts';
import { klines } from './klines.ts';
import { openInterest } from './open-interest.ts';
import { socket } from './socket.ts';
import { tickers } from './tickers.ts';
import { recentTrades } from './trades.ts';

/**
 * Bybit's linear contracts: both sides in the plain open interest, errors in a 200, periods that change. An IP may ask
 * 600 times in 5 s, then is refused with 403 [D]; sooner, many visits within a second are refused in a 200 [D: the
 * code, K: the number].
 */
export const bybit: VenueSimulator = simulateVenue({
  shape: { id: 'bybit', share: 1.7, basisBps: 1.5, latencyMs: 80, listed: 0.95 },
  routes: [instruments, tickers, openInterest, fundingHistory, accountRatio, recentTrades, klines],
  limits: [
    { name: 'visits', spanMs: 1000, max: 200 },
    { name: 'requests', spanMs: 5000, max: 600 },
  ],
  overLimit: (limit) => (limit === 'visits' ? TOO_MANY_VISITS : TOO_FREQUENT),
  notFound: NOT_FOUND,
  sockets: [socket],
});
