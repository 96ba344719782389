import type { PerpVenue } from '../venue.ts';
import { candles } from './candles.ts';
import { histories } from './history.ts';
import { liquidations } from './liquidations.ts';
import { marketTrades } from './market-trades.ts';
import { orderBooks } from './order-books.ts';
import { markets } from './markets.ts';

/**
 * The v4 indexer. It allows 100 requests in 10 s per IP [D]; as many are taken as a minute's, so that no burst breaks
 * it. Subscriptions are limited per connection and id only, connections not at all [D]: those bounds are ours.
 * https://docs.dydx.xyz/concepts/trading/limits/rate-limits
 */
export const dydx: PerpVenue = {
  id: 'dydx',
  name: 'dYdX',
  kind: 'dex',
  aliases: [],
  perp: { fundingPeriodHours: 1, isOiUsdOnly: false },
  terms: {
    takes:
      'trades, order books, open interest, funding, volume and liquidations of perpetuals, from the public indexer',
    trust: 'documented',
    attribution: 'Perpetuals: dYdX',
    termsUrl: 'https://dydx.exchange/terms',
    termsNote: 'Its trades are public on-chain. The terms are those of its website.',
  },
  connector: {
    origins: { rest: 'https://indexer.dydx.trade', ws: 'wss://indexer.dydx.trade' },
    limits: { weightPerMinute: 100, requestsInFlight: 2, connectionsPerMinute: 30, messagesPerMinute: 600 },
    resources: [markets],
    feeds: [liquidations],
    marketTrades,
    marketBooks: orderBooks,
    candles,
    histories,
  },
};
