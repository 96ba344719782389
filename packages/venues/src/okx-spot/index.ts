import type { SpotVenue } from '../venue.ts';
import { candles } from '../okx/candles.ts';
import { instruments } from './instruments.ts';
import { marketTrades } from '../okx/market-trades.ts';
import { orderBooks } from '../okx/order-books.ts';
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
      // Most endpoints allow 20 requests in 2 s and address [D]; the perpetuals use up to 14 of them.
      weightPerMinute: 150,
      weightAtOnce: 1,
      requestsInFlight: 2,
      connectionsPerMinute: 20,
      // 480 subscriptions an hour and connection [D]: 30 at once and 7 a minute after them.
      messagesPerMinute: 37,
      messagesAtOnce: 30,
    },
    resources: [instruments, tickers],
    feeds: [quotes],
    marketTrades,
    marketBooks: orderBooks,
    candles,
  },
};
