import type { SourceHealth, TableName } from '@crosstape/core';
import type { Static } from 'typebox';
import { failingSource, healthOf } from '../../health/failing-source.ts';
import { healthTopic, lastGoodMsOf, type Snapshot, snapshotTopic } from '../../topics.ts';
import type { SourceEntry } from '../../http/envelope.ts';
import { AGE_REFRESH_MS, staleAtMsOf, tableWords } from '../markets/read-tables.ts';
import type { Context } from '../context.ts';

/** Rows picked from a venue's table. */
export interface Picked {
  readonly name: TableName;
  readonly table: Snapshot<unknown>;
  readonly reported: readonly { readonly coin: string; readonly fetchedAt: number }[];
  /** Coins that the venue lists and that cannot be served. */
  readonly unreported: readonly string[];
}

export interface CoinFailures {
  readonly sources: readonly Static<typeof SourceEntry>[];
  /** Whether a source is failing, rather than a single contract. */
  readonly isFailing: boolean;
  /** Age of the oldest figure that is served although it is old. */
  readonly ageMs?: number;
  /** When something of it will be otherwise. */
  readonly validUntilMs: number;
}

/** Reports coins whose figures are old, or left out, although the rest of their venue's table is current. */
export function coinFailures(context: Context, picked: Picked): CoinFailures {
  const { nowMs } = context;
  const { name, table, reported, unreported } = picked;
  const { venue, everyMs, freshMs } = table;
  // Then all of it is old, which was already reported.
  const isTableOld = nowMs > staleAtMsOf(table);
  const staleAtMs = (fetchedAtMs: number): number => staleAtMsOf({ fetchedAtMs, everyMs, freshMs });
  const old = isTableOld ? [] : reported.filter(({ fetchedAt }) => nowMs > staleAtMs(fetchedAt));
  const oldestMs = Math.min(...reported.map(({ fetchedAt }) => fetchedAt));
  const health = old.length + unreported.length > 0 ? culprit(context, venue, name) : undefined;
  const ageMs = old.length > 0 ? nowMs - oldestMs : undefined;
  return {
    sources: [
      ...(ageMs === undefined
        ? []
        : [
            {
              ...failingSource({ venue, words: tableWords[name], health, ageMs }),
              coins: old.map(({ coin }) => coin),
            },
          ]),
      ...(unreported.length > 0 ? [{ ...leftOut(context, picked, health), coins: [...unreported] }] : []),
    ],
    isFailing: health !== undefined,
    ...(ageMs !== undefined && { ageMs }),
    validUntilMs:
      ageMs === undefined
        ? staleAtMs(oldestMs) + 1
        : Math.min(nowMs + AGE_REFRESH_MS, oldestMs + lastGoodMsOf(everyMs) + 1),
  };
}

/** Tables that others of the same venue are made from. */
const restsOn: { readonly [Name in TableName]?: readonly TableName[] } = {
  funding: ['fundingPeriods', 'openInterest'],
  openInterest: ['prices'],
};

/** The venue's failing source, if any. */
function culprit(context: Context, venue: string, name: TableName): SourceHealth | undefined {
  const healths = context.latest(healthTopic(venue));
  return [name, ...(restsOn[name] ?? []), 'instruments']
    .map((table) => healthOf(healths, table))
    .find((health) => health !== undefined && health.status !== 'ok');
}

function leftOut(
  context: Context,
  { name, table: { venue, missing = [] } }: Picked,
  health: SourceHealth | undefined,
): Static<typeof SourceEntry> {
  if (health) return failingSource({ venue, words: tableWords[name], health, ageMs: undefined });
  const words = tableWords[name];
  const periods = name === 'funding' ? context.latest(snapshotTopic(venue, 'fundingPeriods')) : undefined;
  const known = new Set(periods?.rows.map(({ symbol }) => symbol));
  const isAwaited = periods !== undefined && missing.every(({ symbol }) => !known.has(symbol));
  const error = isAwaited
    ? `${venue} has not sent the funding interval of these coins yet, and none is assumed.`
    : `${venue} lists these coins, but gives no usable ${words} of all their contracts.`;
  return { source: venue, status: isAwaited ? 'stale' : 'changed', ageMs: null, error };
}
