import type { Venue } from '../venue.ts';
import { bookSummaries } from './book-summary.ts';
import { indexPrice } from './index-price.ts';
import { optionTrades } from './option-trades.ts';
import { volatilityIndex } from './volatility-index.ts';

/**
 * What the venue allows a caller without a key is not published; with one it is 20 requests a second, and 32 connections
 * from one address [D]. We keep to one a second.
 */
export const deribit: Venue = {
  id: 'deribit',
  name: 'Deribit',
  kind: 'options',
  aliases: [],
  terms: {
    takes: 'the option chain, trades of options, index prices and the volatility index',
    trust: 'documented',
    attribution: 'Options: Deribit',
    termsUrl: 'https://www.deribit.com/kb/terms-of-service',
    termsNote:
      'Its terms keep market data, and what is derived from it, to personal use: to publish or sell either, ask Deribit first.',
  },
  connector: {
    origins: { rest: 'https://www.deribit.com', ws: 'wss://www.deribit.com' },
    limits: { weightPerMinute: 60, requestsInFlight: 2, connectionsPerMinute: 10, messagesPerMinute: 60 },
    resources: bookSummaries,
    lookups: [indexPrice, volatilityIndex],
    feeds: [],
    optionTrades,
  },
};
