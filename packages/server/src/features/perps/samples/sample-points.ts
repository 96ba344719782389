import { perpConventionOf } from '../../markets/venue-ids.ts';
import { freshFunding, freshOpenInterest, type HistoryInputs } from '../history-samples.ts';
import type { SamplePoint } from './sample-ledger.ts';

interface SampleInputs {
  readonly venues: readonly string[];
  /** The coins of the primary venue, whose histories can be read; all coins while it is unknown. */
  readonly coins: ReadonlySet<string> | undefined;
  readonly tablesOf: (venue: string) => HistoryInputs;
}

/** The data of every venue and coin at `t`. Old data are missing, never repeated. */
export function samplePoints(t: number, { venues, coins, tablesOf }: SampleInputs): readonly SamplePoint[] {
  const points = venues.flatMap((venue) => {
    const tables = tablesOf(venue);
    const held = perpConventionOf(venue).isOiUsdOnly ? [] : freshOpenInterest(t, tables);
    const interest = [...held].map(
      ([coin, value]): SamplePoint => ({ kind: 'openInterest', venue, coin, t, value, periodHours: 0 }),
    );
    const rates = [...freshFunding(t, venue, tables)].map(
      ([coin, { rate, nativePeriodHours }]): SamplePoint => ({
        kind: 'funding',
        venue,
        coin,
        t,
        value: rate,
        periodHours: nativePeriodHours,
      }),
    );
    return [...interest, ...rates];
  });
  return coins ? points.filter(({ coin }) => coins.has(coin)) : points;
}
