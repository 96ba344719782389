import { Type } from 'typebox';
import {
  type SampleInterval,
  type SampleRange,
  sampleLevels,
  TEN_MINUTES_DAYS,
} from './samples/sample-ledger.ts';
import { HISTORY_CADENCE_MS, type HistorySample } from './history-table.ts';
import { backfillTopic, historyTopic, seedingTopic } from '../../topics.ts';
import { knownCoin } from '../markets/known-coin.ts';
import { orNull } from '../../http/field.ts';
import { choice, coinName, sinceParameter, endParameter } from '../../http/parameter.ts';
import { recordedSinceMs } from './recorded-since.ts';
import type { Context } from '../context.ts';

/** Points in one answer from the ledger: more than a year of hours. */
const POINTS_MAX = 10_000;

/** The parameters of endpoints that return the recorded history of a coin. */
export const historyQuery = Type.Object({
  coin: coinName({ description: 'Ticker, in any case.', examples: ['BTC'] }),
  sinceMs: sinceParameter,
  interval: Type.Optional(
    choice(['10m', '1h'], {
      description:
        'With it, `venue`, `end` or `limit`, points are read from the ledger and carry `origin`: `10m` (the default then) is kept for 30 days, `1h` for as long as candles are (`CANDLE_DAYS`).',
      examples: ['1h'],
    }),
  ),
  end: endParameter(
    'Only points of the ledger before it, in milliseconds since the Unix epoch. Omitted: up to now.',
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: POINTS_MAX,
      description: `Most points of the ledger in one answer: the newest of the range. Omitted: ${POINTS_MAX}.`,
      examples: [500],
    }),
  ),
});

/** Meta of an answer from the ledger. */
export const historyMeta = {
  nextEnd: Type.Optional(
    orNull(Type.Integer(), 'Of the ledger: `end` of the next older page; null when there is none.'),
  ),
};

interface LedgerQuery {
  readonly interval?: SampleInterval;
  readonly venue?: string;
  readonly sinceMs?: number;
  readonly end?: number;
  readonly limit?: number;
}

/** Whether a query is about the ledger. */
export function isOfLedger({ interval, venue, end, limit }: LedgerQuery): boolean {
  return [interval, venue, end, limit].some((one) => one !== undefined);
}

/** The range to read for one page: one more sample, to detect another page. */
export function rangeOfPage({ sinceMs = 0, end, limit = POINTS_MAX }: LedgerQuery): SampleRange {
  return { sinceMs, ...(end !== undefined && { endMs: end }), limit: limit + 1 };
}

/** The newest points up to the limit, and the end of the page before them. */
export function newestPage<Point>(
  points: readonly Point[],
  { limit = POINTS_MAX }: LedgerQuery,
  timeOf: (point: Point) => number,
): { readonly page: Point[]; readonly nextEnd: number | null } {
  const page = points.slice(-limit);
  const [oldest] = page;
  return { page, nextEnd: oldest !== undefined && points.length > limit ? timeOf(oldest) : null };
}

export interface HistoryReading {
  readonly coin: string;
  readonly samples: readonly HistorySample[];
  /** Description of the series. */
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

/** Description of a ledger series. */
export function ledgerSeries(
  context: Context,
  interval: SampleInterval,
  newestT: number | undefined,
): HistoryReading['series'] {
  // An answer is renewed when another sample has been written, and while the back-fill brings older ones.
  const newest = context.latest(historyTopic)?.t;
  context.latest(backfillTopic);
  context.latest(seedingTopic);
  const { candleDays, startedAtMs } = context.resources;
  return {
    cadenceMs: sampleLevels[interval].stepMs,
    retention: `${interval === '1h' ? candleDays : TEN_MINUTES_DAYS}d`,
    enabled: true,
    fetchedAt: newestT ?? newest ?? startedAtMs,
  };
}
