import type { Publisher } from '../venue.ts';
import { forex } from './forex.ts';

/** The exchange rates on the page of Upbit's owner. Nothing is published about them or about what is allowed [K]. */
export const dunamu: Publisher = {
  id: 'dunamu',
  name: 'Dunamu forex',
  connector: {
    origins: { rest: 'https://quotation-api-cdn.dunamu.com', ws: '' },
    limits: { weightPerMinute: 8, requestsInFlight: 1, connectionsPerMinute: 4, messagesPerMinute: 4 },
    resources: [forex],
    feeds: [],
  },
};
