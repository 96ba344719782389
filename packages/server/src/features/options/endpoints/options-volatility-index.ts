import { DAY_MS } from '@crosstape/core';
import { Type } from 'typebox';
import { coinChoice, sinceParameter } from '../../../http/parameter.ts';
import { endpoint } from '../../context.ts';
import { readTables, rowOfCoin } from '../../markets/read-tables.ts';
import { optionsVenueId } from '../option-chain.ts';
import { VolatilityIndexSeries } from '../schema.ts';

const cacheSeconds = 60;

export const optionsVolatilityIndex = endpoint({
  path: '/options/volatility-index',
  summary: "The venue's volatility index by day",
  description:
    "Deribit's own index (DVOL) of the volatility that options imply for the next 30 days, for the last 400 days: it begins long before this service does. A day begins at midnight UTC; the newest is in progress. Fetched on demand.",
  query: Type.Object({
    underlying: coinChoice(['BTC', 'ETH'], {
      description: 'The coin that the options are on, in any case.',
      examples: ['BTC'],
    }),
    sinceMs: sinceParameter,
  }),
  data: VolatilityIndexSeries,
  cacheSeconds,
  examples: [{ summary: 'Bitcoin', search: 'underlying=BTC' }],
  errors: ['upstream_unavailable'],
  async handle({ underlying, sinceMs = 0 }, context) {
    const { tables, meta, validUntilMs } = await readTables(context, {
      table: 'volatilityIndex',
      venues: [optionsVenueId],
      cacheSeconds,
      // Days that have passed stay as they are.
      lastGoodMs: DAY_MS,
      keyed: rowOfCoin(underlying),
    });
    const days = tables[0]?.rows[0]?.days ?? [];
    const points = days.filter(({ ts }) => ts >= sinceMs).map(({ ts: t, ...levels }) => ({ t, ...levels }));
    return {
      data: { underlying, points, cadenceMs: DAY_MS, fetchedAt: meta.fetchedAt },
      meta,
      validUntilMs,
    };
  },
});
