import type { FailingSource, TableName } from '@crosstape/core';
import { healthOf } from '../analytics/failing-source.ts';
import { pairByCoin } from '../analytics/spot-prices.ts';
import { spotVenueNames } from '../analytics/spot-venues.ts';
import type { VenueSpot } from '../analytics/usdt-rate.ts';
import { Failure } from '../platform/errors.ts';
import { healthTopic, snapshotTopic } from '../topics.ts';
import { findCoins, indexCoins } from './coins.ts';
import type { Context } from './context.ts';

/** What is told pair by pair. */
const TABLES = ['spotTickers', 'dayOpens'] as const;

/** A pair that its venue tells something of only when asked for it. */
interface WantedPair {
  readonly source: string;
  readonly coin: string;
  readonly symbol: string;
}

/**
 * Asks the venues that tell pairs one by one for those of these coins, and waits for them, but not for long. The others
 * tell all of theirs anyway.
 */
export async function wantSpotPairs(context: Context, coins: readonly string[]): Promise<void> {
  const { bus } = context.resources;
  const wanted = spotVenueNames.flatMap(({ source }) => wantedPairs(context, source, coins));
  for (const source of new Set(wanted.map((one) => one.source))) {
    const keys = wanted.filter((one) => one.source === source).map(({ symbol }) => symbol);
    for (const table of TABLES) context.demand({ venue: source, table, keys });
  }
  const awaited = wanted.flatMap(({ source, symbol }) =>
    TABLES.filter((table) => isWell(context, source, table)).map((table) => ({
      topic: snapshotTopic(source, table),
      symbol,
    })),
  );
  await context.waitUntil(
    () =>
      awaited.every(({ topic, symbol }) =>
        bus.latest(topic)?.message.rows.some((row) => row.symbol === symbol),
      ),
    awaited.map(({ topic }) => topic),
  );
}

/** Nobody waits for a source that has said why it does not answer. */
function isWell({ resources }: Context, source: string, table: TableName): boolean {
  const health = healthOf(resources.bus.latest(healthTopic(source))?.message, table);
  return health === undefined || health.status === 'ok';
}

function wantedPairs(context: Context, source: string, coins: readonly string[]): readonly WantedPair[] {
  const listed = context.latest(snapshotTopic(source, 'instruments'))?.rows ?? [];
  return [...pairByCoin(listed, new Set(coins)).values()].map(({ coin, symbol }) => ({
    source,
    coin,
    symbol,
  }));
}

/** The coins that are meant, as the primary venue or any spot venue lists them. */
export function findSpotCoins(context: Context, texts: readonly string[]): ReturnType<typeof findCoins> {
  const { primaryVenue } = context.resources;
  const known = coinsIn(context.latest(snapshotTopic(primaryVenue, 'instruments')));
  for (const { source } of spotVenueNames) for (const coin of spotCoins(context, source)) known.add(coin);
  const found = findCoins(indexCoins(known), texts);
  if (found.coins.length > 0) return found;
  const which = texts.length === 1 ? `Coin ${texts[0]} is not known.` : 'None of the asked coins is known.';
  throw new Failure('not_found', which, { meta: { unknown: found.unknown } });
}

/** What a spot venue lists: by its list where it has one, else by what it prices. */
export function spotCoins(context: Context, source: string): ReadonlySet<string> {
  const listed = coinsIn(context.latest(snapshotTopic(source, 'instruments')));
  return listed.size > 0 ? listed : coinsIn(context.latest(snapshotTopic(source, 'spotTickers')));
}

function coinsIn(table: { readonly rows: readonly { readonly coin: string }[] } | undefined): Set<string> {
  return new Set(table?.rows.map(({ coin }) => coin));
}

/** What a venue's spot tables say, with the prices of a day ago where they are told apart. */
export function spotOf(context: Context, tickers: VenueSpot['tickers']): VenueSpot {
  const name = spotVenueNames.find(({ source }) => source === tickers.venue);
  const opens = context.latest(snapshotTopic(tickers.venue, 'dayOpens'));
  return { venue: name?.venue ?? tickers.venue, tickers, ...(opens && { opens }) };
}

/** Coins of which a venue told too little for a whole row. */
export function untoldCoins(venue: string, coins: readonly string[], error: string): FailingSource {
  const source = spotVenueNames.find((name) => name.venue === venue)?.source ?? venue;
  return { source, status: 'stale', ageMs: null, error, coins: [...coins] };
}
