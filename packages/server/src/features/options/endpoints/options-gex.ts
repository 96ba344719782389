import { optionsCacheSeconds, optionsQuery, readFigures } from '../read-options.ts';
import { GexSummary } from '../schema.ts';
import { endpoint } from '../../context.ts';

const convention =
  'Dealers are taken to be long calls and short puts; gamma × open interest × spot² × 0.01, USD per 1 % move.';
const flipMethod =
  'Total exposure re-priced at 201 spot levels from 0.5 to 1.5 times the present one, forwards in proportion, volatility and time kept, then bisection; the crossing of zero nearest to spot.';

export const optionsGex = endpoint({
  path: '/options/gex',
  summary: 'Dealer gamma exposure',
  description:
    'Computed once per fetch of the chain with Black-76 at a rate of zero, on the forward of each expiry, a year of 365 days and at least one hour to expiry. Options without open interest or volatility are left out. That dealers are long calls and short puts is an assumption.',
  query: optionsQuery,
  data: GexSummary,
  cacheSeconds: optionsCacheSeconds,
  examples: [{ summary: 'Bitcoin', search: 'underlying=BTC' }],
  errors: ['upstream_unavailable'],
  async handle({ underlying }, context) {
    const { part, meta, validUntilMs } = await readFigures(context, underlying, {
      needsIndex: true,
      pick: ({ gex }) => gex,
      missing: `No exposure of ${underlying} can be computed: its index price, or open interest in calls or in puts, is missing.`,
    });
    const { strikes, profile, fetchedAtMs: fetchedAt, ...figures } = part;
    return {
      data: {
        underlying,
        ...figures,
        strikes: [...strikes],
        profile: [...profile],
        fetchedAt,
        convention,
        flipMethod,
      },
      meta,
      validUntilMs,
    };
  },
});
