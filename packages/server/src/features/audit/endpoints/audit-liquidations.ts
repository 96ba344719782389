import { type Static, Type } from 'typebox';
import { coinName } from '../../../http/parameter.ts';
import { Failure } from '../../../platform/errors.ts';
import { endpoint } from '../../context.ts';
import { knownCoin } from '../../markets/known-coin.ts';
import { LiquidationScoreDay } from '../liquidation-score-schema.ts';
import type { Reconciliation } from '../reconcile.ts';

export const auditLiquidations = endpoint({
  path: '/audit/liquidations',
  summary: 'Accuracy of inferred liquidations',
  description:
    'How many inferred liquidations of the primary venue are right, and how many of the real ones were found, by day: the fills that Hyperliquid publishes mark them. `crosstape ticks reconcile` compares a day. Newest first; with `day` or `coin` also by coin.',
  query: Type.Object({
    day: Type.Optional(
      Type.String({
        pattern: String.raw`^\d{4}-\d{2}-\d{2}$`,
        description: 'Only this UTC day.',
        examples: ['2026-11-15'],
      }),
    ),
    coin: Type.Optional(
      coinName({ description: 'Only this coin in `coins`, in any case.', examples: ['BTC'] }),
    ),
  }),
  data: Type.Array(LiquidationScoreDay),
  cacheSeconds: 60,
  examples: [{ summary: 'Every compared day', search: '' }],
  errors: ['not_found', 'upstream_unavailable'],
  async handle({ day, coin: text }, context) {
    const { reconciliations, primaryVenue } = context.resources;
    const coin = text === undefined ? undefined : await knownCoin(context, text);
    const one = day === undefined ? undefined : await reconciliations.read(day);
    if (day !== undefined && !one)
      throw new Failure('not_found', `${day} has not been compared. Run crosstape ticks reconcile.`);
    const days = one ? [one] : await reconciliations.list();
    const isFull = day !== undefined || coin !== undefined;
    return {
      data: days.map((result) => scoreDay(result, isFull, coin)),
      meta: { fetchedAt: context.nowMs, source: context.label([primaryVenue]) },
    };
  },
});

function scoreDay(
  { day, comparedAtMs, hoursMissing, liquidations }: Reconciliation,
  isFull: boolean,
  coin: string | undefined,
): Static<typeof LiquidationScoreDay> {
  const coins = (liquidations?.coins ?? []).filter((one) => coin === undefined || one.coin === coin);
  return {
    day,
    comparedAtMs,
    hoursMissing: [...hoursMissing],
    total: liquidations?.total ?? null,
    ...(isFull && { coins }),
  };
}
