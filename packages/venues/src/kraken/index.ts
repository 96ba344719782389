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
 * Kraken Futures, its linear perpetuals. Limits as published [D]: a cost of 500 in 10 s, to which public calls add
 * nothing; 100 sockets, and 100 messages a second, at most 95 are used.
 * https://docs.kraken.com/exchange/guides/futures/ratelimits
 */
export const kraken: PerpVenue = {
  id: 'kraken',
  name: 'Kraken',
  kind: 'cex',
  aliases: ['krakenfutures'],
  perp: { fundingPeriodHours: 1, isOiUsdOnly: false },
  terms: {
    takes:
      'trades, order books, open interest, funding, volume and liquidations of perpetuals; spot prices, trades and order books',
    trust: 'documented',
    attribution: 'Perpetuals and spot prices: Kraken',
    termsUrl: 'https://www.kraken.com/legal',
    termsNote: READ_FIRST,
  },
  connector: {
    origins: { rest: 'https://futures.kraken.com', ws: 'wss://futures.kraken.com' },
    limits: {
      weightPerMinute: 3000,
      requestsInFlight: 2,
      connectionsPerMinute: 20,
      messagesPerMinute: 3000,
      messagesAtOnce: 45,
    },
    resources: [instruments, tickers],
    feeds: [liquidations],
    marketTrades,
    marketBooks: orderBooks,
    candles,
    histories,
  },
};
