import type { SpotVenue } from '../venue.ts';
import { tickers } from './tickers.ts';

/**
 * Binance's spot market, at the address that serves public data only and is open where the venue itself is not [D, K].
 * A weight of 6000 a minute per IP is allowed [D], of which we spend a tenth.
 * https://developers.binance.com/docs/binance-spot-api-docs/rest-api/limits
 */
export const binanceSpot: SpotVenue = {
  id: 'binance-spot',
  name: 'Binance spot',
  kind: 'spot',
  venue: 'binance',
  connector: {
    origins: { rest: 'https://data-api.binance.vision', ws: '' },
    limits: { weightPerMinute: 1200, requestsInFlight: 2, connectionsPerMinute: 20, messagesPerMinute: 20 },
    resources: [tickers],
    feeds: [],
  },
};
