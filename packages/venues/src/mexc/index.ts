import { READ_FIRST } from '../read-first.ts';
import type { PerpVenue } from '../venue.ts';
import { candles } from './candles.ts';
import { fundingPeriod, fundingPeriods } from './funding-periods.ts';
import { histories } from './history.ts';
import { instruments } from './instruments.ts';
import { marketTrades } from './market-trades.ts';
import { orderBooks } from './order-books.ts';
import { tickers } from './tickers.ts';

/**
 * Most calls may be made 20 times in 2 s, each counted apart [C]. The venue has no public liquidations [M]. Its older
 * address answers the same calls [M].
 */
export const mexc: PerpVenue = {
  id: 'mexc',
  name: 'MEXC',
  kind: 'cex',
  aliases: ['venue_g'],
  perp: { fundingPeriodHours: 8, isOiUsdOnly: true, coinsByDefault: ['BTC', 'ETH'] },
  terms: {
    takes: 'trades, order books, open interest, funding and volume of perpetuals',
    trust: 'documented',
    attribution: 'Perpetuals: MEXC',
    termsUrl: 'https://www.mexc.com/terms',
    termsNote: READ_FIRST,
  },
  connector: {
    origins: { rest: 'https://api.mexc.com', ws: 'wss://contract.mexc.com' },
    otherRest: ['https://contract.mexc.com'],
    // 20 requests in 2 s per IP [C]: what may be sent at once and the refill of 2 s stay below that.
    limits: {
      weightPerMinute: 360,
      weightAtOnce: 8,
      requestsInFlight: 4,
      connectionsPerMinute: 60,
      messagesPerMinute: 60,
    },
    resources: [instruments, fundingPeriods, tickers],
    lookups: [fundingPeriod],
    feeds: [],
    marketTrades,
    marketBooks: orderBooks,
    candles,
    histories,
  },
};
