import type { TableName, Tables } from '@crosstape/core';
import { type Static, type TObject, Type } from 'typebox';
import {
  type PerpConvention,
  type PerpVenueId,
  perpConventions,
  perpVenueIds,
} from '../analytics/perp-conventions.ts';
import { Failure } from '../platform/errors.ts';
import { type Snapshot, snapshotTopic } from '../topics.ts';
import { findCoins, indexCoins } from './coins.ts';
import type { Context } from './context.ts';
import { coinName, commaList, defaulted, venueName } from './parameter.ts';
import type { coinsMeta, Meta, SourceEntry } from './schemas/envelope.ts';
import { readTables, tableWords } from './venue-tables.ts';

/** The parameters of endpoints that tell something of each coin on each perpetual venue. */
export const perpQuery = Type.Object({
  coins: Type.Optional(
    commaList(coinName({ description: 'Ticker.' }), {
      description:
        'Tickers, in any case, the bare coin included (`PEPE` finds `kPEPE`). Omitted: every coin that the venue lists, but `BTC,ETH` on `bitget`, `gate` and `mexc`.',
      examples: [['BTC', 'ETH']],
    }),
  ),
  venues: defaulted(
    commaList(venueName(perpVenueIds), {
      description:
        'Venue ids, in any case; aliases (`hl`, `bn`) and neutral codes (`venue_a` to `venue_g`) are accepted too.',
      examples: [['hyperliquid', 'binance']],
    }),
    ['hyperliquid'],
  ),
});

/** What a table says of one coin on one venue. */
export interface PerpRow<Value> {
  readonly venue: string;
  readonly convention: PerpConvention;
  readonly fetchedAt: number;
  readonly value: Value;
}

/** What is asked of one of them. */
export type PerpAsked = Pick<PerpWanted<TableName, unknown>, 'coins' | 'venues' | 'isEveryCoin'>;

/** What is answered of coins on venues. */
export interface CoinData<Row> extends Pick<PerpRows<unknown>, 'meta' | 'validUntilMs'> {
  readonly data: Row[];
}

export interface PerpRows<Value> {
  readonly rows: readonly PerpRow<Value>[];
  readonly meta: Static<typeof Meta> & Static<TObject<typeof coinsMeta>>;
  readonly validUntilMs: number;
}

export interface PerpWanted<Name extends TableName, Value> {
  readonly table: Name;
  readonly coins?: readonly string[];
  /** Without `coins`: every coin of each venue is meant, so that a sum over them lacks none that only some tell by default. */
  readonly isEveryCoin?: boolean;
  readonly venues: readonly PerpVenueId[];
  readonly cacheSeconds: number;
  /** One value per coin of a venue's table. */
  byCoin(snapshot: Snapshot<Tables[Name]>): ReadonlyMap<string, Value>;
}

/** Reads a table of several venues and picks the asked coins, saying which ones are unknown or not to be had. */
export async function readPerpRows<Name extends TableName, Value>(
  context: Context,
  wanted: PerpWanted<Name, Value>,
): Promise<PerpRows<Value>> {
  const { tables, meta, validUntilMs } = await readTables(context, wanted);
  const valuesByVenue = tables.map((table) => ({ table, values: wanted.byCoin(table) }));
  const asked = wanted.coins && askedCoins(context, wanted.coins, valuesByVenue);
  const rows: PerpRow<Value>[] = [];
  const notListed: { venue: string; coins: string[] }[] = [];
  const incomplete: Static<typeof SourceEntry>[] = [];
  for (const { table, values } of valuesByVenue) {
    const { venue, fetchedAtMs: fetchedAt } = table;
    const convention: PerpConvention = perpConventions[venue as PerpVenueId];
    const listed = listedCoins(context, venue);
    const byDefault = wanted.isEveryCoin ? undefined : convention.coinsByDefault;
    const coins = asked?.coins ?? byDefault ?? new Set([...values.keys(), ...listed]);
    const missing: string[] = [];
    for (const coin of coins) {
      const value = values.get(coin);
      if (value === undefined) missing.push(coin);
      else rows.push({ venue, convention, fetchedAt, value });
    }
    const untold = missing.filter((coin) => listed.has(coin));
    const absent = missing.filter((coin) => !listed.has(coin));
    if (untold.length > 0) incomplete.push(leftOut(venue, wanted.table, untold));
    if (absent.length > 0) notListed.push({ venue, coins: absent });
  }
  return {
    rows,
    meta: {
      ...meta,
      ...(asked && asked.unknown.length > 0 && { unknown: [...asked.unknown] }),
      ...(notListed.length > 0 && { notListed }),
      ...(incomplete.length > 0 && { partial: true, sources: [...(meta.sources ?? []), ...incomplete] }),
    },
    validUntilMs,
  };
}

interface VenueValues {
  readonly table: { readonly rows: readonly { readonly coin: string }[] };
}

/** A coin is known when the primary venue lists it, or one of the asked venues tells something of it. */
function askedCoins(
  context: Context,
  texts: readonly string[],
  venues: readonly VenueValues[],
): ReturnType<typeof findCoins> {
  const known = listedCoins(context, context.resources.primaryVenue);
  for (const { table } of venues) for (const { coin } of table.rows) known.add(coin);
  const found = findCoins(indexCoins(known), texts);
  if (found.coins.length > 0) return found;
  const which = texts.length === 1 ? `Coin ${texts[0]} is not known.` : 'None of the asked coins is known.';
  throw new Failure('not_found', which, { meta: { unknown: found.unknown } });
}

function listedCoins(context: Context, venue: string): Set<string> {
  const instruments = context.latest(snapshotTopic(venue, 'instruments'));
  return new Set(instruments?.rows.map(({ coin }) => coin));
}

/** A venue that lists coins, but says nothing usable of them (for funding: no interval is known, so none is assumed). */
function leftOut(venue: string, table: TableName, coins: string[]): Static<typeof SourceEntry> {
  const error = `${venue} lists these coins, but gives no usable ${tableWords[table]} of them.`;
  return { source: venue, status: 'changed', ageMs: null, error, coins };
}
