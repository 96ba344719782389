import {
  type Aggregate,
  aggregateIdOf,
  type AggregateScope,
  aggregateScopes,
  type MarketKey,
  marketIdOf,
} from '@crosstape/core';
import { snapshotTopic } from '../../topics.ts';
import type { Context } from '../context.ts';

/** A recorded market as other programs list it. */
export interface ListedMarket extends MarketKey {
  readonly id: string;
  readonly coin: string;
  readonly quote: string;
  /** Price step; absent if unknown. */
  readonly tick?: number | undefined;
}

/** Marks perpetuals of a venue that also has spot markets, which the primary venue has not. */
const PERP = '.P';
/** The exchange of aggregates. */
export const AGGREGATE = 'AGG';
const scopeSuffixes: Readonly<Record<AggregateScope, string>> = { perp: '', spot: '.SPOT', all: '.ALL' };

/** `HYPERLIQUID:BTC`, `BINANCE:BTCUSDT.P`, `BINANCE:BTCUSDT` (spot). */
export function tickerOf({ venue, kind, symbol }: MarketKey, primaryVenue: string): string {
  const suffix = kind === 'perp' && venue !== primaryVenue ? PERP : '';
  return `${venue.toUpperCase()}:${symbol}${suffix}`;
}

/** `AGG:BTC` is all perpetuals of a coin, `AGG:BTC.SPOT` its spot markets, `AGG:BTC.ALL` both. */
export function aggregateTicker({ scope, coin }: Aggregate): string {
  return `${AGGREGATE}:${coin}${scopeSuffixes[scope]}`;
}

/** The market or aggregate that a ticker names, in any case. `undefined`: not a ticker. */
export function marketOfTicker(ticker: string, primaryVenue: string): string | undefined {
  const colon = ticker.indexOf(':');
  const venue = ticker.slice(0, Math.max(0, colon)).toLowerCase();
  const name = ticker.slice(colon + 1);
  if (venue === '' || name === '') return undefined;
  if (venue === AGGREGATE.toLowerCase()) {
    const scope =
      aggregateScopes.find((one) => one !== 'perp' && endsWith(name, scopeSuffixes[one])) ?? 'perp';
    return aggregateIdOf({ scope, coin: name.slice(0, name.length - scopeSuffixes[scope].length) });
  }
  const isPerp = endsWith(name, PERP);
  const symbol = isPerp ? name.slice(0, -PERP.length) : name;
  return marketIdOf({ venue, kind: isPerp || venue === primaryVenue ? 'perp' : 'spot', symbol });
}

function endsWith(name: string, suffix: string): boolean {
  return name.toUpperCase().endsWith(suffix);
}

/** Every recorded market: those of the primary venue first. */
export async function listMarkets(context: Context): Promise<readonly ListedMarket[]> {
  const { markets, primaryVenue: venue } = context.resources;
  const listed = new Map(
    (context.latest(snapshotTopic(venue, 'instruments'))?.rows ?? []).map((row) => [row.coin, row]),
  );
  const coins = (await markets?.primary.ticks.coins()) ?? [];
  const primary = coins.map((coin): ListedMarket => {
    const { quote = 'USD', tick } = listed.get(coin) ?? {};
    const key = { venue, kind: 'perp', symbol: coin } as const;
    return { ...key, id: marketIdOf(key), coin, quote, tick };
  });
  return [...primary, ...((await markets?.list()) ?? [])];
}
