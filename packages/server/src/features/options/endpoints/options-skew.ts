import { optionsCacheSeconds, optionsQuery, readFigures } from '../read-options.ts';
import { SkewSummary } from '../schema.ts';
import { endpoint } from '../../context.ts';

export const optionsSkew = endpoint({
  path: '/options/skew',
  summary: 'Implied volatility skew and term structure',
  description:
    'Smiles by expiry: puts below the forward, calls at or above it, both at the strike nearest to it. At the money is linear between the two strikes around the forward; an expiry without strikes on both sides has a smile but no place in the term structure. The 25-delta figures are absent where no strike is that far out. Each expiry of the term structure has its max pain, of all its open interest.',
  query: optionsQuery,
  data: SkewSummary,
  cacheSeconds: optionsCacheSeconds,
  examples: [{ summary: 'Ether', search: 'underlying=ETH' }],
  errors: ['upstream_unavailable'],
  async handle({ underlying }, context) {
    const { part, meta, validUntilMs } = await readFigures(context, underlying, {
      needsIndex: false,
      pick: ({ skew, fetchedAtMs }) => ({ ...skew, fetchedAtMs }),
      missing: `The skew of ${underlying} is not computed yet.`,
    });
    return {
      data: {
        underlying,
        smileByExpiry: Object.fromEntries(
          Object.entries(part.smileByExpiry).map(([label, smile]) => [label, [...smile]]),
        ),
        termStructure: [...part.termStructure],
        fetchedAt: part.fetchedAtMs,
      },
      meta,
      validUntilMs,
    };
  },
});
