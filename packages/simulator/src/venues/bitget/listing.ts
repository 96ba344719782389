import { type Coin, GOLD_TOKENS } from '../../market/coins.ts';
import { bareCoin, everyListed, type VenueDeal } from '../../market/venue-market.ts';
import { perMarket } from '../per-market.ts';
import { decimalsFor } from '../plain-decimal.ts';

/** Coins so cheap that the venue lists a thousand of them as one: the rest it lists one by one. */
const LISTED_IN_THOUSANDS: readonly string[] = ['BONK'];
/** Coins that also have a contract in USDC, and its share of positions and liquidations. */
const IN_USDC: readonly string[] = ['BTC', 'ETH'];
const USDC_PART = 0.125;
/** Price of USDC in USDT. */
const USDC_PRICE = 0.9998;
/** Figures of a price that are printed. */
const PRICE_FIGURES = 6;

export const PRODUCT_TYPES = { USDT: 'USDT-FUTURES', USDC: 'USDC-FUTURES' } as const;

/** A contract as this venue names and counts it. */
export interface Listing {
  readonly coin: Coin;
  readonly symbol: string;
  readonly baseCoin: string;
  readonly quote: keyof typeof PRODUCT_TYPES;
  /** Its part of the coin's positions. */
  readonly part: number;
  /** How many of its base coin make one unit of the market. */
  readonly perUnit: number;
  readonly priceDecimals: number;
  readonly sizeDecimals: number;
  readonly status: 'normal' | 'off';
  /** Stocks, metals, indices; also tokens of gold [L]. */
  readonly isRwa: boolean;
}

/** Everything in its lists: tradable contracts, contracts that are not crypto, and delisted ones. */
export const listingsOf = perMarket((venue): readonly Listing[] => {
  return everyListed(venue).flatMap((coin) => {
    const listing = listingOf(coin);
    return IN_USDC.includes(coin.name) ? [listing, inUsdc(listing)] : [listing];
  });
});

/** The contract of a liquidated position: one of eight in USDC, if there is one. */
export function listingOfDeal(coin: Coin, { id }: VenueDeal): Listing {
  const listing = listingOf(coin);
  return IN_USDC.includes(coin.name) && id % (1 / USDC_PART) === 0 ? inUsdc(listing) : listing;
}

function inUsdc(listing: Listing): Listing {
  return { ...listing, symbol: `${listing.baseCoin}PERP`, quote: 'USDC', part: USDC_PART };
}

function listingOf(coin: Coin): Listing {
  const bare = bareCoin(coin.name);
  const inThousands = LISTED_IN_THOUSANDS.includes(bare.name);
  const baseCoin = inThousands ? `1000${bare.name}` : bare.name;
  const perUnit = inThousands ? bare.perUnit / 1000 : bare.perUnit;
  return {
    coin,
    symbol: `${baseCoin}USDT`,
    baseCoin,
    quote: 'USDT',
    part: IN_USDC.includes(coin.name) ? 1 - USDC_PART : 1,
    perUnit,
    priceDecimals: decimalsFor(coin.price / perUnit, PRICE_FIGURES),
    sizeDecimals: perUnit === 1 ? coin.sizeDecimals : 0,
    status: coin.isDelisted ? 'off' : 'normal',
    isRwa: coin.category !== undefined || GOLD_TOKENS.includes(coin.name),
  };
}

/** A price of the market in this venue's unit and the contract's coin. */
export function priceOf(price: number, { perUnit, quote }: Listing): number {
  return price / perUnit / (quote === 'USDC' ? USDC_PRICE : 1);
}

/** The same as it prints prices. */
export function printPrice(price: number, listing: Listing): string {
  return priceOf(price, listing).toFixed(listing.priceDecimals);
}

/** A size of the market in this venue's unit, as it prints sizes. */
export function printSize(size: number, { perUnit, sizeDecimals }: Listing): string {
  return (size * perUnit).toFixed(sizeDecimals);
}
