import type { Coin } from '../../market/coins.ts';
import { bareCoin, type VenueMarket } from '../../market/venue-market.ts';
import { decimalsFor } from '../plain-decimal.ts';

/** Coins so cheap that the venue lists a thousand of them as one: the rest it lists one by one. */
const LISTED_IN_THOUSANDS: readonly string[] = ['BONK'];
const QUOTE = 'USDT';
/** Figures of a price that are printed. */
const PRICE_FIGURES = 6;

/** A contract as this venue names and counts it. */
export interface Listing {
  readonly coin: Coin;
  readonly symbol: string;
  readonly baseCoin: string;
  /** How many of its base coin make one unit of the market. */
  readonly perUnit: number;
  readonly priceDecimals: number;
  readonly sizeDecimals: number;
  readonly status: 'normal' | 'off';
  /** Stocks, metals, indices. */
  readonly isRwa: boolean;
}

/** Everything in its list: what one can trade, what is no crypto, and what is gone. */
export function listingsOf({ coins, market }: VenueMarket): readonly Listing[] {
  const others = market.coins.filter((coin) => coin.category !== undefined || coin.isDelisted);
  return [...coins, ...others].map(listingOf);
}

export function findListing(market: VenueMarket, symbol: string): Listing | undefined {
  return listingsOf(market).find((listing) => listing.symbol === symbol);
}

export function listingOf(coin: Coin): Listing {
  const bare = bareCoin(coin.name.slice(coin.name.indexOf(':') + 1));
  const inThousands = LISTED_IN_THOUSANDS.includes(bare.name);
  const baseCoin = inThousands ? `1000${bare.name}` : bare.name;
  const perUnit = inThousands ? bare.perUnit / 1000 : bare.perUnit;
  return {
    coin,
    symbol: `${baseCoin}${QUOTE}`,
    baseCoin,
    perUnit,
    priceDecimals: decimalsFor(coin.price / perUnit, PRICE_FIGURES),
    sizeDecimals: perUnit === 1 ? coin.sizeDecimals : 0,
    status: coin.isDelisted ? 'off' : 'normal',
    isRwa: coin.category !== undefined,
  };
}

/** A price of the market in this venue's unit, as it prints prices. */
export function printPrice(price: number, { perUnit, priceDecimals }: Listing): string {
  return (price / perUnit).toFixed(priceDecimals);
}

/** A size of the market in this venue's unit, as it prints sizes. */
export function printSize(size: number, { perUnit, sizeDecimals }: Listing): string {
  return (size * perUnit).toFixed(sizeDecimals);
}
