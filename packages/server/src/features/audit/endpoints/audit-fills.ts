import { type Static, Type } from 'typebox';
import { endpoint } from '../../context.ts';
import { Failure } from '../../../platform/errors.ts';
import type { Reconciliation } from '../reconcile.ts';
import { FillsReconciliation } from '../schema.ts';

export const auditFills = endpoint({
  path: '/audit/fills',
  summary: 'Daily audit against on-chain fills',
  description:
    'Days of the primary venue that were compared, trade by trade, with the fills that Hyperliquid publishes: `crosstape ticks reconcile` does it. Newest first; with `day` that day alone, with every coin and the first trades that are not the same.',
  query: Type.Object({
    day: Type.Optional(
      Type.String({
        pattern: String.raw`^\d{4}-\d{2}-\d{2}$`,
        description: 'Only this UTC day, in full.',
        examples: ['2026-11-15'],
      }),
    ),
  }),
  data: Type.Array(FillsReconciliation),
  cacheSeconds: 60,
  examples: [{ summary: 'Every compared day', search: '' }],
  errors: ['not_found'],
  async handle({ day }, context) {
    const { reconciliations, primaryVenue } = context.resources;
    const meta = { fetchedAt: context.nowMs, source: context.label([primaryVenue]) };
    if (day === undefined) {
      return { data: (await reconciliations.list()).map(summaryOf), meta };
    }
    const result = await reconciliations.read(day);
    if (!result)
      throw new Failure('not_found', `${day} has not been compared. Run crosstape ticks reconcile.`);
    const { liquidations: _scores, ...compared } = result;
    return { data: [compared as Static<typeof FillsReconciliation>], meta };
  },
});

function summaryOf(result: Reconciliation): Static<typeof FillsReconciliation> {
  const { day, comparedAtMs, verdict, hoursMissing, refused, coinsNotRecorded, total } = result;
  return { day, comparedAtMs, verdict, hoursMissing: [...hoursMissing], refused, coinsNotRecorded, total };
}
