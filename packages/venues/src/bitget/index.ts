import { READ_FIRST } from '../read-first.ts';
import type { PerpVenue } from '../venue.ts';
import { candles } from './candles.ts';
import { funding } from './funding.ts';
import { histories } from './history.ts';
import { instruments } from './instruments.ts';
import { liquidations } from './liquidations.ts';
import { marketTrades } from './market-trades.ts';
import { orderBooks } from './order-books.ts';
import { products } from './product.ts';
import { tickers } from './tickers.ts';

/**
 * Limits per IP: 20 requests a second on each call we use [C], never more for one call; 300
 * connections in 5 minutes and 10 messages a second on each [K].
 */
export const bitget: PerpVenue = {
  id: 'bitget',
  name: 'Bitget',
  kind: 'cex',
  aliases: ['venue_e'],
  perp: { fundingPeriodHours: 8, isOiUsdOnly: true, coinsByDefault: ['BTC', 'ETH'] },
  terms: {
    takes: 'trades, order books, open interest, funding, volume and liquidations of perpetuals',
    trust: 'documented',
    attribution: 'Perpetuals: Bitget',
    termsUrl: 'https://www.bitget.com/support/articles/360014944032-terms-of-use',
    termsNote: READ_FIRST,
  },
  connector: {
    origins: { rest: 'https://api.bitget.com', ws: 'wss://ws.bitget.com' },
    // 20 requests a second per IP [C]: what may be sent at once and a second's refill stay below that.
    limits: {
      weightPerMinute: 900,
      weightAtOnce: 5,
      requestsInFlight: 3,
      connectionsPerMinute: 60,
      messagesPerMinute: 600,
    },
    resources: products.flatMap((product) => [instruments(product), tickers(product), funding(product)]),
    feeds: [liquidations],
    marketTrades,
    marketBooks: orderBooks,
    candles,
    histories,
  },
};
