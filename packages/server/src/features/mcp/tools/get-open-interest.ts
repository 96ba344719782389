import { Type } from 'typebox';
import { coinInput } from '../inputs.ts';
import { tool } from '../tool.ts';
import { usd } from '../wording.ts';
import { perpVenueIds } from '../../markets/venue-ids.ts';

export interface OiRow {
  readonly coin: string;
  readonly venue: string;
  readonly oiUsd: number;
  readonly unconverted?: boolean;
}

export const getOpenInterest = tool({
  name: 'get_open_interest',
  title: 'Open interest by venue',
  description:
    'Returns the open interest of one coin on every perpetual venue, in USD, with the total and the share of each venue. Use it for positioning by venue now; use market_brief for a summary with price and funding, and get_funding for what positions cost. Venues that fail or do not list the coin are left out, and coverage is then partial. Values are at most about a minute old; there is no history here.',
  input: Type.Object({ coin: coinInput }, { additionalProperties: false }),
  async call({ coin }, rest) {
    const { data, meta } = await rest.get<readonly OiRow[]>('/perps/oi', {
      coins: coin,
      venues: perpVenueIds.join(','),
    });
    const rows = data.toSorted((a, b) => b.oiUsd - a.oiUsd);
    const totalOiUsd = rows.reduce((sum, { oiUsd }) => sum + oiUsd, 0);
    const shares = rows
      .slice(0, 3)
      .map(({ venue, oiUsd }) => `${venue} ${((oiUsd / totalOiUsd) * 100).toFixed(0)} %`);
    const name = rows[0]?.coin ?? coin;
    return {
      text: `Open interest in ${name} perpetuals is ${usd(totalOiUsd)} on ${rows.length} venues; the largest are ${shares.join(', ')}.`,
      metas: [meta],
      units: { totalOiUsd: 'USD', oiUsd: 'USD', oiContracts: "venue's contracts", oiCoin: 'coins' },
      figures: { coin: name, totalOiUsd, venues: rows },
    };
  },
});
