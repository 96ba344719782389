import type { Publisher, VenueRequest } from '../venue.ts';
import { futureMarkets } from './future-markets.ts';
import { liquidationHistory } from './liquidation-history.ts';

/**
 * An aggregator that wants a key, which is free, and to be named where its figures are shown. 40 calls a minute for a
 * key, and each symbol of a question counts as one [M]. Without a key nothing is asked.
 * https://api.coinalyze.net/v1/doc/
 */
export const coinalyze: Publisher = {
  id: 'coinalyze',
  name: 'Coinalyze',
  terms: {
    takes: 'liquidations of venues that were not connected all day, only with a key of your own',
    trust: 'aggregated',
    attribution: 'Some liquidations: Coinalyze (coinalyze.net)',
    credit: { text: 'Data provided by Coinalyze', url: 'https://coinalyze.net' },
    termsUrl: 'https://coinalyze.net',
    termsNote: 'Coinalyze must be named wherever its figures are shown; 40 symbols a minute for a key.',
  },
  connector: {
    origins: { rest: 'https://api.coinalyze.net', ws: '' },
    limits: { weightPerMinute: 40, requestsInFlight: 1, connectionsPerMinute: 4, messagesPerMinute: 4 },
    resources: [],
    feeds: [],
  },
};

/** The same with a key, which travels in a header: no address and no message ever holds it. */
export function coinalyzeWith(key: string): Publisher {
  const { connector } = coinalyze;
  if (!connector) return coinalyze;
  const withKey = (request: VenueRequest): VenueRequest => ({ ...request, headers: { api_key: key } });
  return {
    ...coinalyze,
    connector: {
      ...connector,
      resources: [{ ...futureMarkets, request: withKey(futureMarkets.request) }],
      lookups: [
        {
          ...liquidationHistory,
          request: (asked, nowMs) => withKey(liquidationHistory.request(asked, nowMs)),
        },
      ],
    },
  };
}
