import type { SpotVenue } from '../venue.ts';
import { tickers } from './tickers.ts';

/** Bybit's spot market: 600 requests in 5 s per IP [D], together with those about its contracts, and so is the ban. */
export const bybitSpot: SpotVenue = {
  id: 'bybit-spot',
  name: 'Bybit spot',
  kind: 'spot',
  venue: 'bybit',
  connector: {
    origins: { rest: 'https://api.bybit.com', ws: '' },
    limits: {
      weightPerMinute: 40,
      requestsInFlight: 2,
      connectionsPerMinute: 20,
      messagesPerMinute: 20,
      forbiddenMs: 600_000,
    },
    resources: [tickers],
    feeds: [],
  },
};
