import { Type } from 'typebox';
import { HISTORY_CADENCE_MS, type HistorySample } from './history-table.ts';
import { historyTopic, seedingTopic } from '../../topics.ts';
import { knownCoin } from '../markets/known-coin.ts';
import { coinName } from '../../http/parameter.ts';
import { recordedSinceMs } from './recorded-since.ts';
import type { Context } from '../context.ts';

/** The parameters of endpoints that return the recorded history of a coin. */
export const historyQuery = Type.Object({
  coin: coinName({ description: 'Ticker, in any case.', examples: ['BTC'] }),
  sinceMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'Only points at or after it, in milliseconds since the Unix epoch. Omitted: all that is kept.',
      examples: [1_789_913_600_000],
    }),
  ),
});

export interface HistoryReading {
  readonly coin: string;
  readonly samples: readonly HistorySample[];
  /** What every series says of itself. */
  readonly series: {
    readonly cadenceMs: number;
    readonly retention: string;
    readonly enabled: boolean;
    /** Absent while it is unknown. */
    readonly recordingSince?: number;
    readonly fetchedAt: number;
  };
}

/** Reads the samples of a coin. An unreadable store is reported, and is no error. */
export async function readHistory(
  context: Context,
  query: { readonly coin: string; readonly sinceMs?: number },
): Promise<HistoryReading> {
  const coin = await knownCoin(context, query.coin);
  const { histories, retentionDays, startedAtMs } = context.resources;
  // An answer is renewed when another sample has been written.
  const newest = context.latest(historyTopic)?.t;
  // And while the first-run history grows.
  context.latest(seedingTopic);
  const samples = await histories.samples(coin, query.sinceMs ?? 0).catch(() => undefined);
  const oldest = samples?.[0]?.t ?? Number.POSITIVE_INFINITY;
  const begun = await recordedSinceMs(context);
  const recordingSince = samples && begun !== undefined ? Math.min(oldest, begun) : undefined;
  return {
    coin,
    samples: samples ?? [],
    series: {
      cadenceMs: HISTORY_CADENCE_MS,
      retention: `${retentionDays}d`,
      enabled: samples !== undefined,
      ...(recordingSince !== undefined && { recordingSince }),
      fetchedAt: samples?.at(-1)?.t ?? newest ?? recordingSince ?? startedAtMs,
    },
  };
}
