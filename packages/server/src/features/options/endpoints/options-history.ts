import { HOUR_MS, intervalStart } from '@crosstape/core';
import { Type } from 'typebox';
import { choice, defaulted, sinceParameter } from '../../../http/parameter.ts';
import { endpoint } from '../../context.ts';
import { readSampled } from '../../sampled-series.ts';
import { optionsVenueId } from '../option-chain.ts';
import { LEVELS_DAYS, type OptionLevels, optionLevelsTopic } from '../option-levels.ts';
import { optionsQuery } from '../read-options.ts';
import { OptionLevelsSeries } from '../schema.ts';

export const optionsHistory = endpoint({
  path: '/options/history',
  summary: 'Recorded option levels',
  description: `Gamma exposure, walls, flip, open interest and 30-day volatility of the options on a coin, sampled every 10 minutes on the clock and kept for ${LEVELS_DAYS} days. A sample that could not be taken is missing, never repeated.`,
  query: Type.Object({
    ...optionsQuery.properties,
    sinceMs: sinceParameter,
    interval: defaulted(
      choice(['10m', '1h'], {
        description: '`10m`: all samples. `1h`: the first sample of each hour.',
        examples: ['1h'],
      }),
      '10m',
    ),
  }),
  data: OptionLevelsSeries,
  cacheSeconds: 60,
  examples: [{ summary: 'Bitcoin', search: 'underlying=BTC' }],
  async handle({ underlying, sinceMs = 0, interval }, context) {
    const read = context.resources.optionLevels.since(underlying, sinceMs);
    const kept = { topic: optionLevelsTopic, days: LEVELS_DAYS };
    const { samples, series } = await readSampled(context, read, kept);
    const isHourly = interval === '1h';
    const points = (isHourly ? firstOfHours(samples) : samples).map(({ coin: _, ...levels }) => levels);
    return {
      data: { underlying, points, ...series, ...(isHourly && { cadenceMs: HOUR_MS }) },
      meta: { fetchedAt: series.fetchedAt, source: context.label([optionsVenueId]) },
    };
  },
});

function firstOfHours(samples: readonly OptionLevels[]): readonly OptionLevels[] {
  const hourOf = (sample: OptionLevels | undefined): number => intervalStart(sample?.t ?? 0, HOUR_MS);
  return samples.filter((sample, i) => hourOf(sample) !== hourOf(samples[i - 1]));
}
