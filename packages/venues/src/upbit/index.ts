import { READ_FIRST } from '../read-first.ts';
import type { Connector, SpotVenue } from '../venue.ts';
import { followedBooks, otherBooks } from './orderbook.ts';
import { tickers } from './tickers.ts';

/** Coins whose premium is followed, unless an operator chooses others. */
const FOLLOWED = ['BTC', 'ETH', 'SOL'];

/**
 * Upbit's market in won. Calls about tickers and about books may each be made 10 times a second per IP [D]; without an
 * `Origin` header, which would make it one in 10 s.
 * https://docs.upbit.com/kr/reference/rate-limits
 */
const connectorFor = (coins: readonly string[]): Connector => ({
  origins: { rest: 'https://api.upbit.com', ws: '' },
  limits: {
    weightPerMinute: 200,
    weightAtOnce: 6,
    requestsInFlight: 2,
    connectionsPerMinute: 10,
    messagesPerMinute: 10,
  },
  resources: [tickers],
  lookups: [followedBooks(coins), otherBooks(coins)],
  feeds: [],
});

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
  connector: connectorFor(FOLLOWED),
};

/** The same, with the books of these coins, as the primary venue spells them, of the same moment. */
export function upbitFollowing(coins: readonly string[]): SpotVenue {
  return { ...upbit, connector: connectorFor(coins) };
}
