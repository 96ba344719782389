import { READ_FIRST } from '../read-first.ts';
import type { PerpVenue } from '../venue.ts';
import { candles } from './candles.ts';
import { histories } from './history.ts';
import { instruments } from './instruments.ts';
import { liquidations } from './liquidations.ts';
import { marketTrades } from './market-trades.ts';
import { orderBooks } from './order-books.ts';
import { tickers } from './tickers.ts';

/**
 * Linear perpetuals. Per IP 600 requests in 5 s and 500 connections in 5 min are allowed [D]: what is allowed in 5 s
 * is taken as a minute's, so that no burst breaks it. After HTTP 403 a client has to stop for ten minutes [D]; some
 * countries always get it [M]. No limit of messages is published [K].
 * https://bybit-exchange.github.io/docs/v5/rate-limit
 */
export const bybit: PerpVenue = {
  id: 'bybit',
  name: 'Bybit',
  kind: 'cex',
  aliases: ['venue_b'],
  perp: { fundingPeriodHours: 8, isOiUsdOnly: false },
  terms: {
    takes:
      'trades, order books, open interest, funding, volume, liquidations and positioning of perpetuals; spot prices, trades and order books',
    trust: 'documented',
    attribution: 'Perpetuals, positioning and spot prices: Bybit',
    termsUrl: 'https://www.bybit.com/app/terms-service/information',
    termsNote: READ_FIRST,
  },
  connector: {
    origins: { rest: 'https://api.bybit.com', ws: 'wss://stream.bybit.com' },
    // "Both endpoints are available" [D]; there is one address for sockets.
    otherRest: ['https://api.bytick.com'],
    limits: {
      weightPerMinute: 600,
      requestsInFlight: 4,
      connectionsPerMinute: 100,
      messagesPerMinute: 3000,
      forbiddenMs: 600_000,
    },
    resources: [instruments, tickers],
    feeds: [liquidations],
    marketTrades,
    marketBooks: orderBooks('linear'),
    candles,
    histories,
  },
};
