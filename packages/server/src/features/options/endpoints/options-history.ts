import { Type } from 'typebox';
import { sinceParameter } from '../../../http/parameter.ts';
import { endpoint } from '../../context.ts';
import { readSampled } from '../../sampled-series.ts';
import { optionsVenueId } from '../option-chain.ts';
import { LEVELS_DAYS, optionLevelsTopic } from '../option-levels.ts';
import { optionsQuery } from '../read-options.ts';
import { OptionLevelsSeries } from '../schema.ts';

export const optionsHistory = endpoint({
  path: '/options/history',
  summary: 'Recorded option levels',
  description: `Gamma exposure, walls, flip, open interest and 30-day volatility of the options on a coin, sampled every 10 minutes on the clock and kept for ${LEVELS_DAYS} days. A sample that could not be taken is missing, never repeated.`,
  query: Type.Object({
    ...optionsQuery.properties,
    sinceMs: sinceParameter,
  }),
  data: OptionLevelsSeries,
  cacheSeconds: 60,
  examples: [{ summary: 'Bitcoin', search: 'underlying=BTC' }],
  async handle({ underlying, sinceMs = 0 }, context) {
    const read = context.resources.optionLevels.since(underlying, sinceMs);
    const kept = { topic: optionLevelsTopic, days: LEVELS_DAYS };
    const { samples, series } = await readSampled(context, read, kept);
    return {
      data: { underlying, points: samples.map(({ coin: _, ...levels }) => levels), ...series },
      meta: { fetchedAt: series.fetchedAt, source: context.label([optionsVenueId]) },
    };
  },
});
