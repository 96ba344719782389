import type { Publisher } from '../venue.ts';
import { book } from './book.ts';

/**
 * The books of Polymarket's outcomes. 1500 of them may be requested in ten seconds, and what is over it is queued, then
 * refused [D]. We keep to a third of that: 120 at once and 38 a second.
 * https://docs.polymarket.com/quickstart/introduction/rate-limits
 */
export const polymarketClob: Publisher = {
  id: 'polymarket-clob',
  name: "Polymarket's order books",
  venue: 'polymarket',
  connector: {
    origins: { rest: 'https://clob.polymarket.com', ws: '' },
    limits: {
      weightPerMinute: 2_400,
      weightAtOnce: 120,
      requestsInFlight: 4,
      connectionsPerMinute: 4,
      messagesPerMinute: 4,
    },
    resources: [],
    lookups: [book],
    feeds: [],
  },
};
