import { type Coin, GOLD_TOKENS } from '../../market/coins.ts';
import { bareCoin, everyListed } from '../../market/venue-market.ts';
import { perMarket } from '../per-market.ts';
import { decimalsFor } from '../plain-decimal.ts';

/** Approximate maximum value of a contract: its multiplier is the power of ten closest to it. */
const CONTRACT_USD = 5;
/** Figures of a price that are printed. */
const PRICE_FIGURES = 6;
/** Contracts that trade in tenths. */
const DECIMAL_COINS: readonly string[] = ['BTC', 'ETH'];
/** Groups of contracts that are not crypto, by the market's categories. */
const GROUPS: Readonly<Record<string, string>> = {
  stocks: 'stocks',
  indices: 'indices',
  commodities: 'metals',
};

/** A contract as this venue names and counts it. */
export interface Listing {
  readonly coin: Coin;
  readonly name: string;
  /** How many of its coin make one unit of the market. */
  readonly perUnit: number;
  /** Coins in one contract. */
  readonly multiplier: number;
  readonly priceDecimals: number;
  readonly hasDecimalSizes: boolean;
  /** Empty for crypto, but for tokens of gold. */
  readonly contractType: string;
}

/** Everything in its list: tradable contracts, contracts that are not crypto, and delisted ones. */
export const listingsOf = perMarket((venue): readonly Listing[] => everyListed(venue).map(listingOf));

function listingOf(coin: Coin): Listing {
  const bare = bareCoin(coin.name);
  const price = coin.price / bare.perUnit;
  return {
    coin,
    name: `${bare.name}_USDT`,
    perUnit: bare.perUnit,
    multiplier: 10 ** Math.round(Math.log10(CONTRACT_USD / price)),
    priceDecimals: decimalsFor(price, PRICE_FIGURES),
    hasDecimalSizes: DECIMAL_COINS.includes(bare.name),
    contractType: groupOf(coin),
  };
}

/** Tokens of gold are metals here [L]. */
function groupOf({ name, category }: Coin): string {
  if (GOLD_TOKENS.includes(name)) return 'metals';
  return category === undefined ? '' : (GROUPS[category] ?? category);
}

/** A price of the market in this venue's unit, as it prints prices. */
export function printPrice(price: number, { perUnit, priceDecimals }: Listing): string {
  return (price / perUnit).toFixed(priceDecimals);
}

/** A size of the market in contracts, whole or in tenths. */
export function contractsOf(size: number, { perUnit, multiplier, hasDecimalSizes }: Listing): number {
  const steps = hasDecimalSizes ? 10 : 1;
  return Math.trunc(((size * perUnit) / multiplier) * steps) / steps;
}

/** The multiplier as the venue prints it: no exponent. */
export function printMultiplier({ multiplier }: Listing): string {
  return multiplier.toFixed(Math.max(0, -Math.round(Math.log10(multiplier))));
}
