import { historyVenues } from '../history-samples.ts';
import { perpConventionOf } from '../../markets/venue-ids.ts';
import type { HistorySample } from '../history-table.ts';
import { historyQuery, readHistory } from '../history-series.ts';
import { FundingHistorySeries } from '../schema.ts';
import { endpoint } from '../../context.ts';

const periodHours = Object.fromEntries(
  historyVenues.map((venue) => [venue, perpConventionOf(venue).fundingPeriodHours]),
);

export const perpsFundingHistory = endpoint({
  path: '/perps/funding/history',
  summary: 'Recorded funding rates',
  description:
    "Funding rates of a coin on four venues, sampled every 10 minutes on the clock. Rates are those of `/perps/funding`; `nativePeriodHours` keeps the venue's own period at that time.",
  query: historyQuery,
  data: FundingHistorySeries,
  cacheSeconds: 60,
  examples: [{ summary: 'Seven days of Bitcoin', search: 'coin=BTC' }],
  errors: ['not_found', 'upstream_unavailable'],
  async handle(query, context) {
    const { coin, samples, series } = await readHistory(context, query);
    const points = samples.filter(({ funding }) => Object.keys(funding).length > 0).map(pointOf);
    return {
      data: { coin, points, ...series, periodHours },
      meta: { fetchedAt: series.fetchedAt, source: context.label(historyVenues) },
    };
  },
});

function pointOf({ t, funding }: HistorySample): {
  ts: number;
  byVenue: Record<string, number>;
  nativePeriodHours: Record<string, number>;
} {
  const byVenue: Record<string, number> = {};
  const nativePeriodHours: Record<string, number> = {};
  for (const [venue, { rate, nativePeriodHours: hours }] of Object.entries(funding)) {
    byVenue[venue] = rate;
    nativePeriodHours[venue] = hours;
  }
  return { ts: t, byVenue, nativePeriodHours };
}
