import type { SpotVenue } from '../venue.ts';
import { assetPairs } from './asset-pairs.ts';
import { candles } from './candles.ts';
import { marketTrades } from './market-trades.ts';
import { orderBooks } from './order-books.ts';
import { ohlc } from './ohlc.ts';
import { quotes } from './quotes.ts';
import { tickers } from './tickers.ts';

/**
 * Kraken's spot market, at another address than its futures. What is allowed without a key is not published; one
 * request a second is safe by practice [M]. Sockets: about 150 connections in 10 minutes [D].
 * https://docs.kraken.com/api/docs/guides/spot-rest-ratelimits
 */
export const krakenSpot: SpotVenue = {
  id: 'kraken-spot',
  name: 'Kraken spot',
  kind: 'spot',
  venue: 'kraken',
  connector: {
    origins: { rest: 'https://api.kraken.com', ws: 'wss://ws.kraken.com' },
    limits: {
      weightPerMinute: 60,
      weightAtOnce: 5,
      requestsInFlight: 2,
      connectionsPerMinute: 10,
      messagesPerMinute: 60,
    },
    resources: [assetPairs, tickers],
    lookups: [ohlc],
    feeds: [quotes],
    marketTrades,
    marketBooks: orderBooks,
    candles,
  },
};
