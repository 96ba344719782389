import type { Publisher } from '../venue.ts';
import { forex } from './forex.ts';

/** The exchange rates on the page of Upbit's owner. Nothing is published about them or about what is allowed [K]. */
export const dunamu: Publisher = {
  id: 'dunamu',
  name: 'Dunamu forex',
  terms: {
    takes: 'the rate of the dollar in won, first choice',
    trust: 'undocumented',
    attribution: 'USD/KRW: Dunamu',
    termsNote: 'Nothing is published about this address or about what is allowed.',
  },
  connector: {
    origins: { rest: 'https://quotation-api-cdn.dunamu.com', ws: '' },
    limits: { weightPerMinute: 8, requestsInFlight: 1, connectionsPerMinute: 4, messagesPerMinute: 4 },
    resources: [forex],
    feeds: [],
  },
};
