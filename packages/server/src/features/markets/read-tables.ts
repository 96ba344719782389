import type { FailingSource, SourceHealth, TableName, Tables } from '@crosstape/core';
import type { Static } from 'typebox';
import { failingSource, healthOf } from '../../health/failing-source.ts';
import { Failure } from '../../platform/errors.ts';
import {
  asOfMs,
  freshMsOf,
  healthTopic,
  lastGoodMsOf,
  NO_ANSWER_YET,
  rowAtMs,
  type Snapshot,
  snapshotTopic,
} from '../../topics.ts';
import type { Meta } from '../../http/envelope.ts';
import type { Context } from '../context.ts';

/** How often a growing `ageMs` is renewed. */
export const AGE_REFRESH_MS = 1_000;
const RETRY_AFTER_SECONDS = 5;

export interface Wanted<Name extends TableName> {
  readonly table: Name;
  readonly venues: readonly string[];
  readonly cacheSeconds: number;
  /** How long a last good value is served; by the rule when absent. */
  readonly lastGoodMs?: number;
  /** How soon a caller without an answer may retry, where a failed source is not polled again soon. */
  readonly retryAfterSeconds?: number;
  /** Fetched on demand: an old table is waited for, because it may be old only for lack of callers. */
  readonly isOnDemand?: boolean;
  /** False: a table that is not available yet is not waited for. */
  readonly isAwaited?: boolean;
  /** For a table requested key by key: the key, and its part of the table. */
  readonly keyed?: {
    readonly key: string;
    partOf(table: Snapshot<Tables[Name]>): Snapshot<Tables[Name]> | undefined;
  };
}

export interface TableReading<Row> {
  readonly tables: readonly Snapshot<Row>[];
  /** The time at which the newest of them was confirmed by its source. */
  readonly asOfMs: number;
  readonly meta: Static<typeof Meta>;
  readonly validUntilMs: number;
}

/** State of one venue's table. */
interface Verdict<Row> {
  readonly table?: Snapshot<Row>;
  readonly failure?: FailingSource;
  /** The failure is that rows are missing: the others are current. */
  readonly isPartial?: boolean;
  readonly validUntilMs: number;
}

/**
 * The newest usable table of each venue, with the failures of the others. A venue without an answer never delays the
 * rest; only if none has one is a first answer waited for.
 */
export async function readTables<Name extends TableName>(
  context: Context,
  wanted: Wanted<Name>,
): Promise<TableReading<Tables[Name]>> {
  const keys = wanted.keyed && { keys: [wanted.keyed.key] };
  for (const venue of wanted.venues) context.demand({ venue, table: wanted.table, ...keys });
  if (wanted.isAwaited ?? true) await waitForFirst(context, wanted);
  const verdicts = wanted.venues.map((venue) => judge(context, venue, wanted));
  const tables = verdicts.flatMap(({ table }) => table ?? []);
  const sources = verdicts.flatMap(({ failure }) => failure ?? []);
  if (tables.length === 0) throw unavailable(context, wanted, sources);
  const staleAgesMs = verdicts.flatMap(({ table, failure, isPartial = false }) =>
    table && !isPartial ? (failure?.ageMs ?? []) : [],
  );
  const isPartial = tables.length < wanted.venues.length || verdicts.some((verdict) => verdict.isPartial);
  return {
    tables,
    asOfMs: Math.max(...tables.map(asOfMs)),
    meta: {
      fetchedAt: Math.max(...tables.map((table) => table.fetchedAtMs)),
      source: context.label(tables.map(({ venue, label = venue }) => label)),
      ...(staleAgesMs.length > 0 && { stale: true, ageMs: Math.max(...staleAgesMs) }),
      ...(sources.length > 0 && { partial: isPartial, sources }),
    },
    validUntilMs: Math.min(...verdicts.map((verdict) => verdict.validUntilMs)),
  };
}

function judge<Name extends TableName>(
  context: Context,
  venue: string,
  { table: name, cacheSeconds, lastGoodMs, keyed }: Wanted<Name>,
): Verdict<Tables[Name]> {
  const table = partOf(context.latest(snapshotTopic(venue, name)), keyed);
  const health = healthOf(context.latest(healthTopic(venue)), name);
  const failing = (ageMs: number | undefined): FailingSource =>
    failingSource({ venue, words: tableWords[name], health, ageMs });
  if (!table) return { failure: failing(undefined), validUntilMs: Infinity };
  const nowMs = context.nowMs;
  const knownAtMs = asOfMs(table);
  // As old as its oldest row: others may have arrived since a part failed.
  const ageMs = Math.max(0, nowMs - Math.min(knownAtMs, ...(table.rowsAtMs ?? [])));
  const staleAtMs = staleAtMsOf(table);
  if (table.isPartial && nowMs <= staleAtMs)
    return { table, failure: failing(ageMs), isPartial: true, validUntilMs: nowMs + AGE_REFRESH_MS };
  // A source that was not requested yet does not invalidate data as new as its cadence.
  if (!isSourceFailing(health) && nowMs <= staleAtMs) return { table, validUntilMs: staleAtMs + 1 };
  const failure = failing(ageMs);
  const goneAtMs = knownAtMs + (lastGoodMs ?? lastGoodMsOf(table.everyMs, cacheSeconds * 1_000)) + 1;
  if (nowMs >= goneAtMs) return { failure, validUntilMs: nowMs + AGE_REFRESH_MS };
  return { table, failure, validUntilMs: Math.min(nowMs + AGE_REFRESH_MS, goneAtMs) };
}

async function waitForFirst<Name extends TableName>(
  context: Context,
  { table, venues, keyed, isOnDemand = keyed !== undefined }: Wanted<Name>,
): Promise<void> {
  const { bus } = context.resources;
  if (!venues.some((venue) => isExpected(context, venue, table, isOnDemand))) return;
  const isThere = (venue: string): boolean => {
    const part = partOf(bus.latest(snapshotTopic(venue, table))?.message, keyed);
    if (!part || !isOnDemand || context.nowMs <= staleAtMsOf(part)) return part !== undefined;
    // It was not requested lately, and will arrive in a moment, unless its source is failing.
    return isSourceFailing(healthOf(bus.latest(healthTopic(venue))?.message, table));
  };
  await context.waitUntil(
    () => venues.some(isThere),
    venues.map((venue) => snapshotTopic(venue, table)),
  );
}

function partOf<Name extends TableName>(
  table: Snapshot<Tables[Name]> | undefined,
  keyed: Wanted<Name>['keyed'],
): Snapshot<Tables[Name]> | undefined {
  return table && keyed ? keyed.partOf(table) : table;
}

/** The row of a coin in a table that is requested coin by coin. */
export function rowOfCoin<Row extends { readonly coin: string }>(
  coin: string,
): { readonly key: string; partOf(table: Snapshot<Row>): Snapshot<Row> | undefined } {
  return {
    key: coin,
    partOf(table) {
      const i = table.rows.findIndex((row) => row.coin === coin);
      const row = table.rows[i];
      const fetchedAtMs = rowAtMs(table, i);
      return row && { ...table, rows: [row], rowsAtMs: [fetchedAtMs], fetchedAtMs };
    },
  };
}

/** Until when something counts as fresh. */
export function staleAtMsOf(
  table: Pick<Snapshot<unknown>, 'fetchedAtMs' | 'checkedAtMs' | 'everyMs' | 'freshMs'>,
): number {
  return asOfMs(table) + freshMsOf(table);
}

/**
 * Only fetched data can arrive: a venue known only by name is never fetched, and one that refuses reports it. On-demand
 * data have no health before the first request.
 */
export function isExpected(
  { resources }: Context,
  venue: string,
  table: TableName,
  isOnDemand: boolean,
): boolean {
  const healths = resources.bus.latest(healthTopic(venue))?.message;
  const health = healthOf(healths, table);
  if (!health) return isOnDemand || (!healths && venue === resources.primaryVenue);
  return health.status === 'ok' || health.status === 'stale' || health.status === 'down';
}

/** Whether a source has failed since it was last requested: an idle one has not. */
export function isSourceFailing(health: SourceHealth | undefined): boolean {
  return health !== undefined && health.status !== 'ok' && health.error !== NO_ANSWER_YET;
}

/** Merges the meta of several tables into that of one answer. */
export function joinedMeta(metas: readonly Static<typeof Meta>[]): Static<typeof Meta> {
  const sources = metas.flatMap((meta) => meta.sources ?? []);
  const ages = metas.flatMap(({ ageMs }) => ageMs ?? []);
  return {
    ...(metas[0] as Static<typeof Meta>),
    fetchedAt: Math.max(...metas.map(({ fetchedAt }) => fetchedAt)),
    ...(ages.length > 0 && { stale: true, ageMs: Math.max(...ages) }),
    ...(sources.length > 0 && { partial: metas.some(({ partial }) => partial), sources }),
  };
}

/** Names of tables in sentences. */
export const tableWords: Readonly<Record<TableName, string>> = {
  instruments: 'list of instruments',
  openInterest: 'open interest',
  funding: 'funding',
  prices: 'prices',
  volumes: 'volumes of 24 hours',
  fundingPeriods: 'funding intervals',
  indexPrices: 'index prices',
  volatilityIndex: 'volatility index',
  positioning: 'positioning',
  liquidationTotals: 'liquidation totals',
  roundedBooks: 'order books',
  btcOptions: 'BTC option chain',
  ethOptions: 'ETH option chain',
  usdcOptions: 'chain of options in USDC',
  bitcoinEtfFlows: 'bitcoin ETF flows',
  ethereumEtfFlows: 'ether ETF flows',
  bitcoinTreasury: 'bitcoin treasuries',
  ethereumTreasury: 'ether treasuries',
  mvrvZScore: 'MVRV Z-score',
  nupl: 'net unrealised profit and loss',
  puellMultiple: 'Puell multiple',
  reserveRisk: 'reserve risk',
  realizedCap: 'realised capitalisation',
  predictions: 'list of questions',
  predictionBooks: 'book',
  spotTickers: 'spot prices',
  spotQuotes: 'spot quotes',
  dayOpens: 'prices of a day ago',
  spotBooks: 'spot book',
  exchangeRates: 'exchange rate',
};

/** No source has data that may still be served. */
export function unavailable(
  context: Context,
  wanted: Pick<Wanted<TableName>, 'venues' | 'table' | 'retryAfterSeconds'>,
  sources: readonly FailingSource[],
): Failure {
  const isUnderWay = wanted.venues.every((venue) => {
    const health = healthOf(context.latest(healthTopic(venue)), wanted.table);
    return !health || health.error === NO_ANSWER_YET;
  });
  const why = sources.map((entry) => entry.error).join(' ');
  return new Failure('upstream_unavailable', `No data available from ${wanted.venues.join(', ')}. ${why}`, {
    retryAfterSeconds: isUnderWay ? RETRY_AFTER_SECONDS : (wanted.retryAfterSeconds ?? RETRY_AFTER_SECONDS),
    meta: { source: context.label(wanted.venues), sources },
  });
}
