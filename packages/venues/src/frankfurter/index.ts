import type { Publisher } from '../venue.ts';
import { rate } from './rate.ts';

/** Exchange rates as central banks publish them, once a day. Without a key and without a published limit [D]. */
export const frankfurter: Publisher = {
  id: 'frankfurter',
  name: 'Frankfurter',
  terms: {
    takes: 'the rate of the dollar in won, second choice',
    trust: 'aggregated',
    attribution: 'USD/KRW: Frankfurter, from central banks',
    credit: { text: 'Central bank rates by Frankfurter', url: 'https://frankfurter.dev' },
    termsUrl: 'https://frankfurter.dev',
    termsNote: 'Open software on reference rates that central banks publish; the banks ask to be named.',
  },
  connector: {
    origins: { rest: 'https://api.frankfurter.dev', ws: '' },
    limits: { weightPerMinute: 8, requestsInFlight: 1, connectionsPerMinute: 4, messagesPerMinute: 4 },
    resources: [rate],
    feeds: [],
  },
};
