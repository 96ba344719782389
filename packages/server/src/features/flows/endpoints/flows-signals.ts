import { Type } from 'typebox';
import { followedMeta, followedQuery, readSummaries } from '../flow-summaries.ts';
import { FlowSignal } from '../schema.ts';
import { endpoint } from '../../context.ts';

export const flowsSignals = endpoint({
  path: '/flows/signals',
  summary: 'Active flow signals',
  description:
    'The signals that are on: venues apart, a premium or discount on Coinbase or in Korea, a large day of the ETFs, unusual net trading on the primary venue, a high pressure score. A signal keeps its id while its condition lasts and ends after two minutes below 80 % of its warm threshold. Severity, title and message follow its current value; `peak` is the largest value since it began.',
  query: followedQuery,
  data: Type.Array(FlowSignal),
  meta: followedMeta,
  cacheSeconds: 10,
  examples: [
    { summary: 'BTC, ETH and SOL', search: '' },
    { summary: 'One coin, with how it was made', search: 'coins=BTC&explain=1' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle(query, context) {
    const { reports, meta, validUntilMs } = await readSummaries(context, query);
    return { data: reports.flatMap(({ signals }) => [...signals]), meta, validUntilMs };
  },
});
