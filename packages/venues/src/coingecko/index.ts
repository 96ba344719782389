import { assets } from '@crosstape/core';
import type { Publisher } from '../venue.ts';
import { treasury } from './treasury.ts';

/**
 * Without a key, what is allowed is not published and differs by day: 5 to 15 requests a minute [M]. We are far below
 * it, but may spend two pages of both assets at once. https://docs.coingecko.com/docs/common-errors-rate-limit
 */
export const coingecko: Publisher = {
  id: 'coingecko',
  name: 'CoinGecko',
  terms: {
    takes: 'what public companies hold',
    trust: 'aggregated',
    attribution: 'Treasuries: data provided by CoinGecko (coingecko.com)',
    credit: { text: 'Data provided by CoinGecko', url: 'https://www.coingecko.com' },
    termsUrl: 'https://www.coingecko.com/en/api_terms',
    termsNote: 'CoinGecko must be named, with a link, wherever its figures are shown.',
  },
  connector: {
    origins: { rest: 'https://api.coingecko.com', ws: '' },
    limits: {
      weightPerMinute: 10,
      weightAtOnce: 4,
      requestsInFlight: 1,
      connectionsPerMinute: 4,
      messagesPerMinute: 4,
    },
    resources: assets.map((asset) => treasury(asset)),
    feeds: [],
  },
};

/** The same with a demo key, which raises the limit; it travels in a header: no address and no message ever holds it [D]. */
export function coingeckoWith(key: string): Publisher {
  const { connector } = coingecko;
  if (!connector) return coingecko;
  const headers = { 'x-cg-demo-api-key': key };
  return {
    ...coingecko,
    connector: { ...connector, resources: assets.map((one) => treasury(one, headers)) },
  };
}
