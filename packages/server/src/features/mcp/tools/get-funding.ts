import { Type } from 'typebox';
import { coinInput } from '../inputs.ts';
import { tool } from '../tool.ts';
import { percent } from '../wording.ts';
import { perpVenueIds } from '../../markets/venue-ids.ts';

const HOURS_PER_YEAR = 24 * 365;

export interface FundingRow {
  readonly coin: string;
  readonly venue: string;
  readonly rate: number;
  readonly periodHours: number;
}

/** The rate as if it were paid all year, in percent. */
export function annualPct({ rate, periodHours }: FundingRow): number {
  return (rate / periodHours) * HOURS_PER_YEAR * 100;
}

export const getFunding = tool({
  name: 'get_funding',
  title: 'Funding rates by venue',
  description:
    'Returns the current funding rate of one coin on every perpetual venue, as reported and as an annual percentage, and names the highest and lowest. Use it to compare the cost of holding a position, or carry between venues; use get_open_interest for the size of positions. `rate` is a decimal fraction per `periodHours`; positive means longs pay shorts. Current rates only, at most about a minute old.',
  input: Type.Object({ coin: coinInput }, { additionalProperties: false }),
  async call({ coin }, rest) {
    const { data, meta } = await rest.get<readonly FundingRow[]>('/perps/funding', {
      coins: coin,
      venues: perpVenueIds.join(','),
    });
    const rows = data
      .map((row) => ({ ...row, annualPct: annualPct(row) }))
      .toSorted((a, b) => b.annualPct - a.annualPct);
    const [high, low] = [rows[0], rows.at(-1)];
    const name = high?.coin ?? coin;
    return {
      text: `Funding of ${name} ranges from ${percent(low?.annualPct ?? 0)} a year on ${low?.venue} to ${percent(high?.annualPct ?? 0)} on ${high?.venue}, across ${rows.length} venues; positive means longs pay shorts.`,
      metas: [meta],
      units: {
        rate: 'decimal fraction per periodHours',
        periodHours: 'hours',
        annualPct: 'percent per year',
      },
      figures: { coin: name, venues: rows },
    };
  },
});
