import { READ_FIRST } from '../read-first.ts';
import type { Venue } from '../venue.ts';
import { events } from './events.ts';

/**
 * What is asked, by Gamma, the venue's catalogue; the books are on another host. 500 requests for events in ten seconds are
 * allowed, and what is over it is queued, then refused [D]. We ask for a few pages a minute.
 * https://docs.polymarket.com/quickstart/introduction/rate-limits
 */
export const polymarket: Venue = {
  id: 'polymarket',
  name: 'Polymarket',
  kind: 'prediction',
  aliases: ['poly'],
  terms: {
    takes: 'open questions and their order books',
    trust: 'documented',
    attribution: 'Prediction markets: Polymarket',
    termsUrl: 'https://polymarket.com/tos',
    termsNote: READ_FIRST,
  },
  connector: {
    origins: { rest: 'https://gamma-api.polymarket.com', ws: '' },
    limits: { weightPerMinute: 60, requestsInFlight: 2, connectionsPerMinute: 4, messagesPerMinute: 4 },
    resources: [events],
    feeds: [],
  },
};
