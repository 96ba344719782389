import type { SpotVenue } from '../venue.ts';
import { candles } from './candles.ts';
import { exchangeInfo } from './exchange-info.ts';
import { marketTrades } from './market-trades.ts';
import { orderBooks } from './order-books.ts';
import { quotes } from './quotes.ts';
import { tickers } from './tickers.ts';

/**
 * Binance's spot market, at the address that serves public data only and is open where the venue itself is not [D, K].
 * A weight of 6000 a minute per IP is allowed [D], we use a tenth. Sockets: 300 connections in 5 minutes, 5
 * messages a second and 1024 streams each, closed after 24 hours [D].
 * https://developers.binance.com/docs/binance-spot-api-docs/rest-api/limits
 */
export const binanceSpot: SpotVenue = {
  id: 'binance-spot',
  name: 'Binance spot',
  kind: 'spot',
  venue: 'binance',
  connector: {
    origins: { rest: 'https://data-api.binance.vision', ws: 'wss://data-stream.binance.vision' },
    // The first and the second of the venue's own addresses [D]; some countries are refused there.
    otherRest: ['https://api.binance.com', 'https://api-gcp.binance.com'],
    limits: {
      weightPerMinute: 1200,
      requestsInFlight: 2,
      connectionsPerMinute: 20,
      messagesPerMinute: 120,
      // At most three in a second, beside a ping and a pong.
      messagesAtOnce: 2,
    },
    resources: [exchangeInfo, tickers],
    feeds: [quotes],
    marketTrades,
    marketBooks: orderBooks,
    candles,
  },
};
