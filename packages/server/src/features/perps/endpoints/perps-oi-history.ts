import { historyQuery, readHistory } from '../history-series.ts';
import { OiHistorySeries } from '../schema.ts';
import { endpoint } from '../../context.ts';

export const perpsOiHistory = endpoint({
  path: '/perps/oi/history',
  summary: 'Recorded open interest',
  description:
    'Open interest of a coin on the primary venue, sampled every 10 minutes on the clock. A sample that could not be taken is missing, never repeated.',
  query: historyQuery,
  data: OiHistorySeries,
  cacheSeconds: 60,
  examples: [{ summary: 'Seven days of Bitcoin', search: 'coin=BTC' }],
  errors: ['not_found', 'upstream_unavailable'],
  async handle(query, context) {
    const { coin, samples, series } = await readHistory(context, query);
    const venue = context.resources.primaryVenue;
    const points = samples.flatMap(({ t, openInterest: v }) => (v === undefined ? [] : [{ t, v }]));
    return {
      data: { coin, venue, points, ...series },
      meta: { fetchedAt: series.fetchedAt, source: context.label([venue]) },
    };
  },
});
