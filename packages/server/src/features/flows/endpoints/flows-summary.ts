import { followedMeta, followedQuery, readSummaries } from '../flow-summaries.ts';
import { FlowSummarySnap } from '../schema.ts';
import { endpoint } from '../../context.ts';

export const flowsSummary = endpoint({
  path: '/flows/summary',
  summary: 'Flow summary',
  description:
    'For each coin a pressure score from −100 (selling) to 100 (buying) with its components, which parts it is made from, a headline, and the signals that are on.',
  query: followedQuery,
  list: 'rows',
  data: FlowSummarySnap,
  meta: followedMeta,
  cacheSeconds: 10,
  examples: [
    { summary: 'BTC, ETH and SOL', search: '' },
    { summary: 'One coin, with how it was made', search: 'coins=BTC&explain=1' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle(query, context) {
    const { reports, meta, validUntilMs } = await readSummaries(context, query);
    const data = {
      coins: reports.map(({ coin }) => coin),
      rows: reports.map(({ coin, figures, headline }) => ({
        coin,
        coverage: { ...figures.coverage },
        flowPressureScore: figures.pressure.score,
        headline,
        components: [...figures.pressure.components],
      })),
      signals: reports.flatMap(({ signals }) => [...signals]),
      fetchedAt: meta.fetchedAt,
    };
    return { data, meta, validUntilMs };
  },
});
