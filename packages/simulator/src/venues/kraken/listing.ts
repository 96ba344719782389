import type { Coin } from '../../market/coins.ts';
import { bareCoin, everyListed, type VenueMarket } from '../../market/venue-market.ts';
import { perMarket } from '../per-market.ts';

/** How symbols and pairs spell a coin; its base is spelled as everywhere [N, L]. */
const OWN_NAMES: Readonly<Record<string, string>> = { BTC: 'XBT' };
/** When contracts were opened: the oldest two, and the others. */
const OPENED = { old: '2022-03-22T15:00:00.000Z', young: '2025-06-03T15:00:00.000Z' } as const;
const OLD_COINS: ReadonlySet<string> = new Set(['BTC', 'ETH']);
/** Figures of a price that are printed. */
const PRICE_FIGURES = 6;

/** A linear perpetual as this venue names and counts it: one by one, never in thousands. */
export interface Listing {
  readonly coin: Coin;
  readonly symbol: string;
  readonly base: string;
  readonly pair: string;
  /** How many of its coin make one unit of the market. */
  readonly perUnit: number;
  readonly priceDecimals: number;
  readonly sizeDecimals: number;
  readonly openingDate: string;
}

/** Tradable contracts. */
const tradedOf = perMarket(({ coins }) => coins.map(listingOf));

/** The same; with `isEverything` also contracts that are not crypto, and delisted ones. */
export function listingsOf(venue: VenueMarket, isEverything = false): readonly Listing[] {
  return isEverything ? everyListed(venue).map(listingOf) : tradedOf(venue);
}

export function findListing(market: VenueMarket, symbol: string): Listing | undefined {
  return listingsOf(market).find((listing) => listing.symbol === symbol);
}

function listingOf(coin: Coin): Listing {
  const { name, perUnit } = bareCoin(coin.name);
  // Shares are `AAPLx` [L].
  const base = coin.category === 'stocks' ? `${name}x` : name;
  const spelled = OWN_NAMES[base] ?? base;
  return {
    coin,
    symbol: `PF_${spelled}USD`,
    base,
    pair: `${spelled}:USD`,
    perUnit,
    priceDecimals: Math.max(0, PRICE_FIGURES - 1 - Math.floor(Math.log10(coin.price / perUnit))),
    sizeDecimals: perUnit === 1 ? coin.sizeDecimals : 0,
    openingDate: OLD_COINS.has(name) ? OPENED.old : OPENED.young,
  };
}

/** A price of the market in this venue's unit, with this many decimals. */
export function priceOf(price: number, { perUnit, priceDecimals }: Listing): number {
  return Number((price / perUnit).toFixed(priceDecimals));
}

/** A size of the market in this venue's unit. */
export function sizeOf(size: number, { perUnit, sizeDecimals }: Listing): number {
  return Number((size * perUnit).toFixed(sizeDecimals));
}
