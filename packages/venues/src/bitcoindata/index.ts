import { valuationMetrics } from '@crosstape/core';
import type { Publisher } from '../venue.ts';
import { metric } from './metric.ts';

/**
 * Without a key 8 requests an hour and 15 a day have been measured, 10 an hour elsewhere [M]. Each of the five metrics is
 * requested once a day, and after a failure in twelve hours. Until it first answers, three of the five are asked again
 * within a minute, and each after an hour and a half at the least, up to three requests a day: whatever fails, that makes
 * 8 an hour and 15 a day.
 */
export const bitcoindata: Publisher = {
  id: 'bitcoindata',
  name: 'BGeometrics',
  terms: {
    takes: 'five valuation metrics of bitcoin, once a day',
    trust: 'aggregated',
    attribution: 'Valuation of bitcoin: BGeometrics (bitcoin-data.com)',
    credit: { text: 'Data provided by BGeometrics', url: 'https://bitcoin-data.com' },
    termsUrl: 'https://charts.bgeometrics.com/terms.html',
    termsNote: 'Without a paid plan for non-commercial use, with attribution; 8 requests an hour, 15 a day.',
  },
  connector: {
    origins: { rest: 'https://bitcoin-data.com', ws: '' },
    limits: {
      weightPerMinute: 20,
      requestsInFlight: 1,
      connectionsPerMinute: 4,
      messagesPerMinute: 4,
      firstRetries: 3,
    },
    resources: valuationMetrics.map((name) => metric(name)),
    feeds: [],
  },
};

/** The same with a token, which gives newer values and a larger quota; the source takes it in the query only [M]. */
export function bitcoindataWith(token: string): Publisher {
  const { connector } = bitcoindata;
  if (!connector) return bitcoindata;
  const resources = valuationMetrics.map((name) => metric(name, token));
  return { ...bitcoindata, connector: { ...connector, resources } };
}
