import type { TableName, Tables } from '@crosstape/core';
import { type Static, type TObject, Type } from 'typebox';
import {
  neutralCodeRange,
  type PerpConvention,
  perpConventionOf,
  perpVenueIds,
  perpVenuesWith,
} from '../markets/venue-ids.ts';
import type { Dated } from './open-interest.ts';
import { type Snapshot, snapshotTopic } from '../../topics.ts';
import { type CoinFailures, coinFailures, type Picked } from './coin-failures.ts';
import { coinsAmong } from '../markets/known-coin.ts';
import { coinName, commaList, defaulted, venueName } from '../../http/parameter.ts';
import type { suspectMeta } from './cross-check/suspect-meta.ts';
import type { coinsMeta, Meta } from '../../http/envelope.ts';
import { readTables, staleAtMsOf, unavailable } from '../markets/read-tables.ts';
import type { Context } from '../context.ts';

const withDefaultCoins = perpVenuesWith(({ perp }) => perp.coinsByDefault !== undefined);

/** The parameters of endpoints that return a value of each coin on each perpetual venue. */
export const perpQuery = Type.Object({
  coins: Type.Optional(
    commaList(coinName({ description: 'Ticker.' }), {
      description: `Tickers, in any case, the bare coin included (\`PEPE\` finds \`kPEPE\`). Omitted: every coin that the venue lists, but \`BTC,ETH\` on ${withDefaultCoins}.`,
      examples: [['BTC', 'ETH']],
    }),
  ),
  venues: defaulted(
    commaList(venueName(perpVenueIds), {
      description: `Venue ids, in any case; aliases (\`hl\`, \`bn\`) and neutral codes (${neutralCodeRange}) are accepted too.`,
      examples: [['hyperliquid', 'binance']],
    }),
    ['hyperliquid'],
  ),
});

/** The value of one coin on one venue. */
export interface PerpRow<Value> {
  readonly venue: string;
  readonly convention: PerpConvention;
  readonly fetchedAt: number;
  /** Older than its cadence promises. */
  readonly isStale: boolean;
  readonly value: Value;
}

/** The query of one of them. */
export type PerpQuery = Pick<PerpWanted<TableName, unknown>, 'coins' | 'venues' | 'isEveryCoin'>;

/** The rows of an answer. */
export interface CoinData<Row> extends Pick<PerpRows<unknown>, 'validUntilMs'> {
  readonly data: Row[];
  readonly meta: PerpRows<unknown>['meta'] & Static<TObject<typeof suspectMeta>>;
}

export interface PerpRows<Value> {
  readonly rows: readonly PerpRow<Value>[];
  readonly meta: Static<typeof Meta> & Static<TObject<typeof coinsMeta>>;
  readonly validUntilMs: number;
}

export interface PerpWanted<Name extends TableName, Value> {
  readonly table: Name;
  readonly coins?: readonly string[];
  /** Without `coins`: all coins of each venue, so that sums lack none that only some return by default. */
  readonly isEveryCoin?: boolean;
  readonly venues: readonly string[];
  readonly cacheSeconds: number;
  /** One value per coin of a venue's table, if known. */
  byCoin(table: Snapshot<Tables[Name]>): ReadonlyMap<string, Dated<Value>>;
}

/** Reads a table of several venues and picks the requested coins; reports those that are unknown or unavailable. */
export async function readPerpRows<Name extends TableName, Value>(
  context: Context,
  wanted: PerpWanted<Name, Value>,
): Promise<PerpRows<Value>> {
  const { tables, meta, validUntilMs } = await readTables(context, wanted);
  const asked = wanted.coins && requestedCoins(context, wanted.coins, tables);
  const rows: PerpRow<Value>[] = [];
  const notListed: { venue: string; coins: string[] }[] = [];
  const picked: Picked[] = [];
  for (const table of tables) {
    const { venue } = table;
    const values = wanted.byCoin(table);
    const convention = perpConventionOf(venue);
    const listed = listedCoins(context, venue);
    const byDefault = wanted.isEveryCoin ? undefined : convention.coinsByDefault;
    const coins = asked?.coins ?? byDefault ?? new Set([...values.keys(), ...listed]);
    const missing: string[] = [];
    const reported: { coin: string; fetchedAt: number }[] = [];
    for (const coin of coins) {
      const dated = values.get(coin);
      if (dated === undefined) missing.push(coin);
      else {
        const { value, fetchedAtMs: fetchedAt } = dated;
        reported.push({ coin, fetchedAt });
        const { everyMs, freshMs } = table;
        const isStale = context.nowMs > staleAtMsOf({ fetchedAtMs: fetchedAt, everyMs, freshMs });
        rows.push({ venue, convention, fetchedAt, isStale, value });
      }
    }
    for (const { coin } of [...table.rows, ...(table.missing ?? [])]) listed.add(coin);
    picked.push({
      name: wanted.table,
      table,
      reported,
      unreported: missing.filter((coin) => listed.has(coin)),
    });
    const absent = missing.filter((coin) => !listed.has(coin));
    if (absent.length > 0) notListed.push({ venue, coins: absent });
  }
  const problems = picked.map((one) => coinFailures(context, one));
  const labelled = withProblems(meta, problems, picked);
  if (rows.length === 0 && problems.some(({ isFailing }) => isFailing))
    throw unavailable(context, wanted, labelled.sources ?? []);
  return {
    rows,
    meta: {
      ...labelled,
      // For a venue that serves one contract at a time, others may have arrived later than those returned here.
      ...(rows.length > 0 && { fetchedAt: Math.max(...rows.map(({ fetchedAt }) => fetchedAt)) }),
      ...(asked && asked.unknown.length > 0 && { unknown: [...asked.unknown] }),
      ...(notListed.length > 0 && { notListed }),
    },
    validUntilMs: Math.min(validUntilMs, ...problems.map((one) => one.validUntilMs)),
  };
}

/** A failing source is named once: with its coins, if only some are affected. */
function withProblems(
  meta: Static<typeof Meta>,
  problems: readonly CoinFailures[],
  picked: readonly Picked[],
): Static<typeof Meta> {
  const ofCoins = problems.flatMap(({ sources }) => sources);
  if (ofCoins.length === 0) return meta;
  const named = new Set(ofCoins.map(({ source }) => source));
  const ages = problems.flatMap(({ ageMs }) => ageMs ?? []);
  return {
    ...meta,
    ...(ages.length > 0 && { stale: true, ageMs: Math.max(meta.ageMs ?? 0, ...ages) }),
    partial: (meta.partial ?? false) || picked.some(({ unreported }) => unreported.length > 0),
    sources: [...(meta.sources ?? []).filter(({ source }) => !named.has(source)), ...ofCoins],
  };
}

/** A coin is known if the primary venue lists it, or one of the requested venues has data for it. */
function requestedCoins(
  context: Context,
  texts: readonly string[],
  tables: readonly Snapshot<{ readonly coin: string }>[],
): ReturnType<typeof coinsAmong> {
  const known = listedCoins(context, context.resources.primaryVenue);
  for (const { rows, missing = [] } of tables) for (const { coin } of [...rows, ...missing]) known.add(coin);
  return coinsAmong(known, texts);
}

function listedCoins(context: Context, venue: string): Set<string> {
  const instruments = context.latest(snapshotTopic(venue, 'instruments'));
  return new Set(instruments?.rows.map(({ coin }) => coin));
}
