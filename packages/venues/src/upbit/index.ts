import { READ_FIRST } from '../read-first.ts';
import type { SpotVenue } from '../venue.ts';
import { orderbook } from './orderbook.ts';
import { tickers } from './tickers.ts';

/**
 * Upbit's market in won. Calls about tickers and about books may each be made 10 times a second per IP [D]; without an
 * `Origin` header, which would make it one in 10 s.
 * https://docs.upbit.com/kr/reference/rate-limits
 */
export const upbit: SpotVenue = {
  id: 'upbit',
  name: 'Upbit',
  kind: 'spot',
  venue: 'upbit',
  terms: {
    takes: 'prices and order books in won',
    trust: 'documented',
    attribution: 'Prices in won: Upbit',
    termsUrl: 'https://upbit.com/terms_of_service',
    termsNote: READ_FIRST,
  },
  connector: {
    origins: { rest: 'https://api.upbit.com', ws: '' },
    limits: {
      weightPerMinute: 200,
      weightAtOnce: 6,
      requestsInFlight: 2,
      connectionsPerMinute: 10,
      messagesPerMinute: 10,
    },
    resources: [tickers],
    lookups: [orderbook],
    feeds: [],
  },
};
