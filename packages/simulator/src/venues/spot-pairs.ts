import { DAY_MS, MINUTE_MS } from '@crosstape/core';
import { bareCoin, type VenueMarket } from '../market/venue-market.ts';
import { SpotMarket, type SpotPair } from '../market/spot-market.ts';
import { perMarket } from './per-market.ts';
import { decimalsFor } from './plain-decimal.ts';

/** Figures of a price that are printed, where the venue has no other number of them. */
const PRICE_FIGURES = 7;
const SIZE_DECIMALS = 8;

export type { SpotPair };

/** Current and recent prices of a pair, in its own currency. */
export interface SpotTick {
  readonly bid: number;
  readonly ask: number;
  readonly last: number;
  /** Price of the minute a day ago. */
  readonly before: number;
  /** At 00:00 UTC. */
  readonly midnight: number;
  /** In coins. */
  readonly volume: number;
}

export const spotMarketOf = perMarket((market) => new SpotMarket(market));

/** Every coin that the venue lists, in each of the currencies; pairs of one currency in another on top. */
export function pairsOf(
  { coins }: VenueMarket,
  quotes: readonly string[],
  extra: readonly (readonly [string, string, number])[] = [],
  figures = PRICE_FIGURES,
): readonly SpotPair[] {
  const pairs = coins.flatMap(({ name, price }) => {
    const { name: base, perUnit } = bareCoin(name);
    const priceDecimals = decimalsFor(price / perUnit, figures);
    return quotes.map((quote) => ({ base, quote, priceDecimals }));
  });
  return [...pairs, ...extra.map(([base, quote, priceDecimals]) => ({ base, quote, priceDecimals }))];
}

export function tickOf(market: VenueMarket, pair: SpotPair, nowMs: number): SpotTick {
  const spot = spotMarketOf(market);
  const lastAt = (atMs: number): number => spot.quote(pair, atMs).last;
  return {
    ...spot.quote(pair, nowMs),
    before: lastAt(Math.floor(nowMs / MINUTE_MS) * MINUTE_MS - DAY_MS),
    midnight: lastAt(Math.floor(nowMs / DAY_MS) * DAY_MS),
    volume: spot.volume24h(pair.base, nowMs),
  };
}

export function printPrice(price: number, { priceDecimals }: SpotPair): string {
  return price.toFixed(priceDecimals);
}

export function printSize(size: number): string {
  return size.toFixed(SIZE_DECIMALS);
}
