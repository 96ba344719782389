import { type MetricReading, valuationMetrics } from '@crosstape/core';
import { Type } from 'typebox';
import { readOnchain } from '../read-onchain.ts';
import { ValuationSnap } from '../schema.ts';
import { endpoint } from '../../context.ts';

const cacheSeconds = 1_800;
/** A metric that failed is not requested again for hours. */
const RETRY_AFTER_SECONDS = 3_600;

export const onchainValuation = endpoint({
  path: '/onchain/valuation',
  summary: 'Bitcoin valuation metrics',
  description:
    'Five metrics of bitcoin, each requested once a day. `asOfDate` is the oldest of the days that they describe, `asOfByMetric` has them all: without a key the source gives most of them seven days late.',
  query: Type.Object({}),
  data: ValuationSnap,
  cacheSeconds,
  examples: [{ summary: 'Bitcoin', search: '' }],
  errors: ['upstream_unavailable'],
  async handle(_query, context) {
    const { rows, ...answer } = await readOnchain(context, {
      publisher: 'bitcoindata',
      tables: valuationMetrics,
      cacheSeconds,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
    const reading = (metric: (typeof valuationMetrics)[number]): MetricReading => {
      const [one] = rows[metric];
      // The parser returns none without a value.
      if (!one) throw new Error(`the table of ${metric} is empty`);
      return one;
    };
    const asOfByMetric = Object.fromEntries(valuationMetrics.map((metric) => [metric, reading(metric).day]));
    const data = {
      asset: 'bitcoin' as const,
      mvrvZScore: reading('mvrvZScore').value,
      nupl: reading('nupl').value,
      puellMultiple: reading('puellMultiple').value,
      reserveRisk: reading('reserveRisk').value,
      realizedCap: reading('realizedCap').value,
      asOfDate: Object.values(asOfByMetric).toSorted()[0] ?? '',
      fetchedAt: answer.meta.fetchedAt,
      asOfByMetric,
    };
    return { data, ...answer };
  },
});
