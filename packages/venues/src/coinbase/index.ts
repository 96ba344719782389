import type { Connector, SpotVenue } from '../venue.ts';
import { candles } from './candles.ts';
import { marketTrades } from './market-trades.ts';
import { orderBooks } from './order-books.ts';
import { products } from './products.ts';
import { quotes } from './quotes.ts';
import { stats } from './stats.ts';
import { ticker } from './ticker.ts';
import { tradesOf } from './trades.ts';

/** Coins whose flows are followed by default. */
const FOLLOWED = ['BTC', 'ETH', 'SOL'];

/**
 * Coinbase Exchange. Per IP 10 requests a second are allowed, 15 at once [D]: what may be sent at once and a second's
 * refill stay below that. Sockets: 8 connections a second, 100 messages a second [D].
 * https://docs.cdp.coinbase.com/exchange/introduction/rate-limits-overview
 */
const connector: Connector = {
  origins: { rest: 'https://api.exchange.coinbase.com', ws: 'wss://ws-feed.exchange.coinbase.com' },
  limits: {
    weightPerMinute: 400,
    weightAtOnce: 8,
    requestsInFlight: 4,
    connectionsPerMinute: 30,
    messagesPerMinute: 120,
  },
  resources: [products, stats],
  lookups: [ticker],
  feeds: [tradesOf(FOLLOWED), quotes],
  marketTrades,
  marketBooks: orderBooks,
  candles,
};

export const coinbase: SpotVenue = {
  id: 'coinbase',
  name: 'Coinbase',
  kind: 'spot',
  venue: 'coinbase',
  terms: {
    takes: 'spot prices, trades and order books',
    trust: 'documented',
    attribution: 'Spot prices and trades: Coinbase',
    termsUrl: 'https://www.coinbase.com/legal/market_data',
    termsNote:
      'Its terms for market data limit redistribution, and indexes, benchmarks or valuations made from it: ask Coinbase before you publish or sell them.',
  },
  connector,
};

/** The same, with the trades of these coins, as the primary venue spells them. */
export function coinbaseFollowing(coins: readonly string[]): SpotVenue {
  return { ...coinbase, connector: { ...connector, feeds: [tradesOf(coins), quotes] } };
}
