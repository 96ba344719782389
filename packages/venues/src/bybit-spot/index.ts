import type { SpotVenue } from '../venue.ts';
import { candles } from './candles.ts';
import { instruments } from './instruments.ts';
import { marketTrades } from './market-trades.ts';
import { orderBooks } from './order-books.ts';
import { quotes } from './quotes.ts';
import { tickers } from './tickers.ts';

/**
 * Bybit's spot market: 600 requests in 5 s per IP [D], together with those about its contracts, and so is the ban.
 * Sockets: 500 connections in 5 minutes [D].
 */
export const bybitSpot: SpotVenue = {
  id: 'bybit-spot',
  name: 'Bybit spot',
  kind: 'spot',
  venue: 'bybit',
  connector: {
    origins: { rest: 'https://api.bybit.com', ws: 'wss://stream.bybit.com' },
    // "Both endpoints are available" [D]; there is one address for sockets.
    otherRest: ['https://api.bytick.com'],
    limits: {
      weightPerMinute: 40,
      requestsInFlight: 2,
      connectionsPerMinute: 20,
      messagesPerMinute: 120,
      forbiddenMs: 600_000,
    },
    resources: [instruments, tickers],
    feeds: [quotes],
    marketTrades,
    marketBooks: orderBooks,
    candles,
  },
};
