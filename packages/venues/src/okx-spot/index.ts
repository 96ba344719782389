import type { SpotVenue } from '../venue.ts';
import { candles } from './candles.ts';
import { marketTrades } from './market-trades.ts';
import { quotes } from './quotes.ts';
import { tickers } from './tickers.ts';

/**
 * OKX's spot market. The call may be made 20 times in 2 s per IP [D]; its contracts ask for their own tickers beside.
 * Sockets: 3 connections a second, 480 subscriptions an hour each [D].
 */
export const okxSpot: SpotVenue = {
  id: 'okx-spot',
  name: 'OKX spot',
  kind: 'spot',
  venue: 'okx',
  connector: {
    origins: { rest: 'https://www.okx.com', ws: 'wss://ws.okx.com:8443' },
    // The documents of 2026 name this address, too [D].
    otherRest: ['https://openapi.okx.com'],
    limits: {
      weightPerMinute: 40,
      requestsInFlight: 2,
      connectionsPerMinute: 20,
      // Of 480 subscriptions an hour and connection; pings count here as well.
      messagesPerMinute: 60,
      messagesAtOnce: 30,
    },
    resources: [tickers],
    feeds: [quotes],
    marketTrades,
    candles,
  },
};
