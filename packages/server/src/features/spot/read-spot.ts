import { type FailingSource, pairByCoin, type TableName } from '@crosstape/core';
import { healthOf } from '../../health/failing-source.ts';
import { listedPairs } from '../flows/flow-inputs.ts';
import { spotVenueNames } from './spot-venues.ts';
import type { VenueSpot } from '../rates/usdt-rate.ts';
import { type Demand, healthTopic, snapshotTopic } from '../../topics.ts';
import { coinsAmong } from '../markets/known-coin.ts';
import { isSourceFailing } from '../markets/read-tables.ts';
import type { Context } from '../context.ts';

/** The data of a source for one pair on request. */
interface WantedRow {
  readonly source: string;
  readonly table: 'spotTickers' | 'dayOpens' | 'spotBooks';
  readonly symbol: string;
}

/**
 * Requests these coins from the venues that serve pairs one by one, and waits for them, but not for long. The others
 * send all of theirs anyway.
 */
export async function wantSpotPairs(context: Context, coins: readonly string[]): Promise<void> {
  const wanted = spotVenueNames.flatMap(({ source, byPair }) => {
    const listed = context.latest(snapshotTopic(source, 'instruments'))?.rows ?? [];
    return [...pairByCoin(listed, new Set(coins)).values()].flatMap(({ symbol }): WantedRow[] =>
      byPair.map((table) => ({ source, table, symbol })),
    );
  });
  await wantRows(context, wanted);
}

/** Requests the book of one pair, and waits for it, but not for long. */
export async function wantSpotBook(context: Context, source: string, symbol: string): Promise<void> {
  await wantRows(context, [{ source, table: 'spotBooks', symbol }]);
}

async function wantRows(context: Context, wanted: readonly WantedRow[]): Promise<void> {
  const { bus } = context.resources;
  const asked = new Map<string, Demand & { readonly keys: string[] }>();
  for (const { source, table, symbol } of wanted) {
    const demand = asked.get(`${source} ${table}`) ?? { venue: source, table, keys: [] };
    demand.keys.push(symbol);
    asked.set(`${source} ${table}`, demand);
  }
  for (const demand of asked.values()) context.demand(demand);
  const awaited = wanted
    .filter(({ source, table }) => isWell(context, source, table))
    .map(({ source, table, symbol }) => ({ topic: snapshotTopic(source, table), symbol }));
  await context.waitUntil(
    () =>
      awaited.every(({ topic, symbol }) =>
        bus.latest(topic)?.message.rows.some((row) => row.symbol === symbol),
      ),
    awaited.map(({ topic }) => topic),
  );
}

/** A source with a reported failure is not waited for. */
function isWell({ resources }: Context, source: string, table: TableName): boolean {
  const health = healthOf(resources.bus.latest(healthTopic(source))?.message, table);
  return !isSourceFailing(health);
}

/** The requested coins, as the primary venue or any spot venue lists them. */
export function findSpotCoins(context: Context, texts: readonly string[]): ReturnType<typeof coinsAmong> {
  const { primaryVenue } = context.resources;
  const listed = context.latest(snapshotTopic(primaryVenue, 'instruments'))?.rows ?? [];
  const known = new Set(listed.map(({ coin }) => coin));
  for (const { source } of spotVenueNames) for (const coin of spotCoins(context, source)) known.add(coin);
  return coinsAmong(known, texts);
}

export function spotCoins(context: Context, source: string): ReadonlySet<string> {
  return new Set(listedPairs((topic) => context.latest(topic), source).map(({ coin }) => coin));
}

/** A venue's spot tables, with yesterday's prices where they are served separately. */
export function spotOf(context: Context, tickers: VenueSpot['tickers']): VenueSpot {
  const name = spotVenueNames.find(({ source }) => source === tickers.venue);
  const opens = context.latest(snapshotTopic(tickers.venue, 'dayOpens'));
  const quotes = context.latest(snapshotTopic(tickers.venue, 'spotQuotes'));
  const venue = name?.venue ?? tickers.venue;
  return { venue, tickers, ...(quotes && { quotes }), ...(opens && { opens }) };
}

/** Coins with too little data of a venue for a whole row. */
export function missingCoins(venue: string, coins: readonly string[], error: string): FailingSource {
  const source = spotVenueNames.find((name) => name.venue === venue)?.source ?? venue;
  return { source, status: 'stale', ageMs: null, error, coins: [...coins] };
}
