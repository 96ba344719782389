import {
  type FailingSource,
  type Positioning,
  type PositioningPeriod,
  positioningEveryMs,
  positioningKey,
} from '@crosstape/core';
import type { Static } from 'typebox';
import { failingSource, healthOf } from '../../health/failing-source.ts';
import { healthTopic, lastGoodMsOf, rowAtMs, snapshotTopic } from '../../topics.ts';
import type { Meta, SourceEntry } from '../../http/envelope.ts';
import {
  AGE_REFRESH_MS,
  isExpected,
  isSourceFailing,
  staleAtMsOf,
  tableWords,
  unavailable,
} from '../markets/read-tables.ts';
import type { Context } from '../context.ts';

const table = 'positioning';

/** One ratio of one coin on one venue. */
interface Ratio {
  readonly venue: string;
  readonly coin: string;
  readonly key: string;
}

export interface PositioningWanted {
  /** Venues that may have them. */
  readonly venues: readonly string[];
  readonly wanted: readonly Ratio[];
  readonly period: PositioningPeriod;
  readonly cacheSeconds: number;
}

export interface PositioningReading {
  readonly rows: readonly { readonly venue: string; readonly row: Positioning; readonly fetchedAt: number }[];
  readonly meta: Static<typeof Meta>;
  readonly validUntilMs: number;
}

/** State of a ratio. */
type Found = 'absent' | { readonly row: Positioning; readonly fetchedAt: number } | undefined;

/**
 * The requested ratios, which are fetched now if they were not lately: old ones are waited for, unless the source is
 * failing. A ratio that a venue does not have is reported as such, and not waited for.
 */
export async function readPositioning(
  context: Context,
  { wanted, venues: from, period, cacheSeconds }: PositioningWanted,
): Promise<PositioningReading> {
  // The venues' lists determine what can be requested.
  const lists = listsOf(context, from);
  if (lists.listedAtMs === 0) throw unavailable(context, { venues: from, table }, lists.unknown);
  const venues = [...new Set(wanted.map(({ venue }) => venue))];
  for (const venue of venues) {
    const keys = wanted.filter((one) => one.venue === venue).map(({ key }) => key);
    context.demand({ venue, table, keys });
  }
  const everyMs = positioningEveryMs[period];
  const isFresh = (fetchedAt: number): boolean =>
    context.nowMs <= staleAtMsOf({ fetchedAtMs: fetchedAt, everyMs });
  const isThere = (one: Ratio, found: Found): boolean => {
    if (found === 'absent') return true;
    if (!found) return !isExpected(context, one.venue, table, true);
    return isFresh(found.fetchedAt) || isSourceFailing(healthNow(context, one.venue));
  };
  await context.waitUntil(
    () => {
      const find = finder(context, venues);
      return wanted.every((one) => isThere(one, find(one)));
    },
    venues.map((venue) => snapshotTopic(venue, table)),
  );

  for (const venue of venues) context.latest(snapshotTopic(venue, table));
  const find = finder(context, venues);
  const keepMs = lastGoodMsOf(everyMs, cacheSeconds * 1_000);
  const rows: { venue: string; row: Positioning; fetchedAt: number }[] = [];
  const absent: Ratio[] = [];
  const old: Ratio[] = [];
  const missing: Ratio[] = [];
  for (const one of wanted) {
    const found = find(one);
    if (found === 'absent') absent.push(one);
    else if (!found || context.nowMs - found.fetchedAt > keepMs) missing.push(one);
    else {
      rows.push({ venue: one.venue, ...found });
      if (!isFresh(found.fetchedAt)) old.push(one);
    }
  }
  const times = rows.map(({ fetchedAt }) => fetchedAt);
  const oldestMs = Math.min(...times);
  const ageMs = context.nowMs - oldestMs;
  const sources = [
    ...coinsByVenue(old).map(([venue, coins]) => failing(context, venue, coins, ageMs)),
    ...coinsByVenue(missing).map(([venue, coins]) => failing(context, venue, coins)),
    ...coinsByVenue(absent).map(([venue, coins]) => withoutRatio(venue, coins)),
    ...lists.unknown,
  ];
  const isPartial = missing.length > 0 || lists.unknown.length > 0;
  const isOld = old.length > 0;
  if (rows.length === 0 && missing.length > 0) throw unavailable(context, { venues, table }, sources);
  return {
    rows,
    meta: {
      fetchedAt: rows.length === 0 ? lists.listedAtMs : Math.max(...times),
      source: context.label(rows.length === 0 ? from : [...new Set(rows.map(({ venue }) => venue))]),
      ...(isOld && { stale: true, ageMs }),
      ...(sources.length > 0 && { partial: isPartial, sources }),
    },
    validUntilMs:
      isOld || isPartial
        ? context.nowMs + AGE_REFRESH_MS
        : staleAtMsOf({ fetchedAtMs: oldestMs, everyMs }) + 1,
  };
}

/** When the newest list of contracts arrived, and which venues have none. */
function listsOf(
  context: Context,
  venues: readonly string[],
): { readonly listedAtMs: number; readonly unknown: readonly FailingSource[] } {
  const times: number[] = [];
  const unknown: FailingSource[] = [];
  for (const venue of venues) {
    const listedAtMs = context.latest(snapshotTopic(venue, 'instruments'))?.fetchedAtMs;
    if (listedAtMs !== undefined) times.push(listedAtMs);
    else {
      const health = healthOf(context.latest(healthTopic(venue)), 'instruments');
      unknown.push(failingSource({ venue, words: tableWords.instruments, health, ageMs: undefined }));
    }
  }
  return { listedAtMs: Math.max(0, ...times), unknown };
}

function coinsByVenue(ratios: readonly Ratio[]): readonly (readonly [string, string[]])[] {
  return [...new Set(ratios.map(({ venue }) => venue))].map((venue) => [
    venue,
    [...new Set(ratios.flatMap((one) => (one.venue === venue ? one.coin : [])))],
  ]);
}

/** Looks up the newest tables. */
function finder(context: Context, venues: readonly string[]): (ratio: Ratio) => Found {
  const found = new Map<string, Found>();
  for (const venue of venues) {
    const reported = context.resources.bus.latest(snapshotTopic(venue, table))?.message;
    if (!reported) continue;
    for (const key of reported.absent ?? []) found.set(`${venue} ${key}`, 'absent');
    for (const [i, row] of reported.rows.entries())
      found.set(`${venue} ${positioningKey(row)}`, { row, fetchedAt: rowAtMs(reported, i) });
  }
  return ({ venue, key }) => found.get(`${venue} ${key}`);
}

function healthNow(context: Context, venue: string): ReturnType<typeof healthOf> {
  return healthOf(context.resources.bus.latest(healthTopic(venue))?.message, table);
}

function failing(
  context: Context,
  venue: string,
  coins: string[],
  ageMs?: number,
): FailingSource & Static<typeof SourceEntry> {
  const health = healthOf(context.latest(healthTopic(venue)), table);
  const source = failingSource({ venue, words: tableWords[table], health, ageMs });
  const isPending = ageMs === undefined && (!health || health.status === 'ok');
  const error = `${venue} has not answered about these coins yet; ask again in a moment.`;
  return {
    ...source,
    ...(isPending && { source: `${venue}:positioning`, status: 'stale', error }),
    coins,
  };
}

function withoutRatio(venue: string, coins: string[]): FailingSource & Static<typeof SourceEntry> {
  const error = `${venue} has no such ratio of these coins: they are too new.`;
  return { source: `${venue}:positioning`, status: 'ok', ageMs: null, error, coins };
}
