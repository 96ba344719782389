import type { FailingSource } from '@crosstape/core';
import type { Static } from 'typebox';
import type { Latest } from '../flows/flow-inputs.ts';
import { failingRateSources } from './quote-worth.ts';
import { usdRatesTopic } from '../../topics.ts';
import type { Meta } from '../../http/envelope.ts';
import { AGE_REFRESH_MS } from '../markets/read-tables.ts';
import type { Context } from '../context.ts';

/** The currency of a row whose figures in USD needed its rate. */
export interface RatedRow {
  readonly coin: string;
  /** The currencies besides the dollar that its contracts are quoted in. */
  readonly rated: readonly string[];
  /** Their rate was unknown for a part. */
  readonly isUnconverted: boolean;
}

interface Labelled<M> {
  readonly meta: M;
  readonly validUntilMs: number;
}

/** `meta` with the failing sources of the rates that an answer needed. */
export function withRateSources<M extends Static<typeof Meta>>(
  context: Context,
  rows: readonly RatedRow[],
  { meta, validUntilMs }: Labelled<M>,
): Labelled<M> {
  const failing = rateFailures(context, rows);
  if (failing.length === 0) return { meta, validUntilMs };
  const named = new Set(meta.sources?.map(({ source }) => source));
  const added = failing.filter(({ source }) => !named.has(source));
  return {
    meta: { ...meta, partial: meta.partial ?? false, sources: [...(meta.sources ?? []), ...added] },
    validUntilMs: Math.min(validUntilMs, context.nowMs + AGE_REFRESH_MS),
  };
}

/** The failing sources of the rates of these rows, each once. */
export function rateFailures(context: Context, rows: readonly RatedRow[]): readonly FailingSource[] {
  const currencies = new Set(rows.flatMap(({ rated }) => rated));
  if (currencies.size === 0) return [];
  const latest: Latest = (topic) => context.latest(topic);
  const { rates = {} } = latest(usdRatesTopic) ?? {};
  const unknown = [...currencies].filter((currency) => !rates[currency]);
  return [
    ...failingRateSources(latest, currencies, context.nowMs),
    ...unknown.map((currency) => unknownRate(currency, rows)),
  ];
}

/** The note on rows that are not converted, so that a stablecoin is not mistaken for a dollar. */
function unknownRate(currency: string, rows: readonly RatedRow[]): FailingSource {
  const coins = rows.flatMap(({ coin, rated, isUnconverted }) =>
    isUnconverted && rated.includes(currency) ? coin : [],
  );
  return {
    source: `${currency}/USD`,
    status: 'down',
    ageMs: null,
    error: `What ${currency} is worth in USD is not known: figures marked \`unconverted\` are in ${currency}.`,
    coins: [...new Set(coins)],
  };
}
