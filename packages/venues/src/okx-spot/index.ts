import type { SpotVenue } from '../venue.ts';
import { tickers } from './tickers.ts';

/** OKX's spot market. The call may be made 20 times in 2 s per IP [D]; its contracts ask for their own tickers beside. */
export const okxSpot: SpotVenue = {
  id: 'okx-spot',
  name: 'OKX spot',
  kind: 'spot',
  venue: 'okx',
  connector: {
    origins: { rest: 'https://www.okx.com', ws: '' },
    limits: { weightPerMinute: 40, requestsInFlight: 2, connectionsPerMinute: 20, messagesPerMinute: 20 },
    resources: [tickers],
    feeds: [],
  },
};
