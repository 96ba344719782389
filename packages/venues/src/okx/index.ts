import { READ_FIRST } from '../read-first.ts';
import type { PerpVenue } from '../venue.ts';
import { candles } from './candles.ts';
import { funding } from './funding.ts';
import { histories } from './history.ts';
import { instruments } from './instruments.ts';
import { liquidations } from './liquidations.ts';
import { marketTrades } from './market-trades.ts';
import { orderBooks } from './order-books.ts';
import { openInterest } from './open-interest.ts';
import { positioning } from './positioning.ts';
import { indexTickers, markPrices } from './prices.ts';
import { tickers } from './tickers.ts';

/**
 * Every call has its own limit, most 20 in 2 s, the tightest of ours 10 [M, N]. A connection may be opened three times
 * a second, and takes 480 subscriptions an hour [D, M].
 */
export const okx: PerpVenue = {
  id: 'okx',
  name: 'OKX',
  kind: 'cex',
  aliases: ['okex', 'venue_c'],
  perp: { fundingPeriodHours: 8, isOiUsdOnly: false },
  terms: {
    takes:
      'trades, order books, open interest, funding, volume, liquidations and positioning of perpetuals; spot prices, trades and order books',
    trust: 'documented',
    attribution: 'Perpetuals, positioning and spot prices: OKX',
    termsUrl: 'https://www.okx.com/help/terms-of-service',
    termsNote: READ_FIRST,
  },
  connector: {
    origins: { rest: 'https://www.okx.com', ws: 'wss://ws.okx.com:8443' },
    // The documents of 2026 name this address, too [D].
    otherRest: ['https://openapi.okx.com'],
    limits: {
      // The spot connector shares the address: together they stay within 20 requests in 2 s, the limit of most endpoints [D].
      weightPerMinute: 180,
      weightAtOnce: 8,
      requestsInFlight: 4,
      connectionsPerMinute: 180,
      // 480 subscriptions an hour and connection [D]: 30 at once and 7 a minute after them.
      messagesPerMinute: 37,
      messagesAtOnce: 30,
    },
    resources: [instruments, openInterest, funding, indexTickers, markPrices, tickers],
    lookups: positioning,
    feeds: [liquidations],
    marketTrades,
    marketBooks: orderBooks,
    candles,
    histories,
  },
};
