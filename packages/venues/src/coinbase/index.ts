import type { SpotVenue } from '../venue.ts';
import { products } from './products.ts';
import { stats } from './stats.ts';
import { ticker } from './ticker.ts';
import { trades } from './trades.ts';

/**
 * Coinbase Exchange. Per IP 10 requests a second are allowed, 15 at once [D]: what may be sent at once and a second's
 * refill stay below that. Sockets: 8 connections a second, 100 messages a second [D].
 * https://docs.cdp.coinbase.com/exchange/introduction/rate-limits-overview
 */
export const coinbase: SpotVenue = {
  id: 'coinbase',
  name: 'Coinbase',
  kind: 'spot',
  venue: 'coinbase',
  connector: {
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
    feeds: [trades],
  },
};
