import type { Coin } from '../../market/coins.ts';
import { Currencies } from '../../market/currencies.ts';
import { bareCoin, everyListed, type VenueMarket } from '../../market/venue-market.ts';
import { perMarket } from '../per-market.ts';
import { decimalsFor, plainDecimal } from '../plain-decimal.ts';

const PRICE_FIGURES = 6;
/** A contract is the largest power of ten of its coin that is worth at most this, in dollars. */
const CONTRACT_USD_MAX = 1000;
/** Decimals of a size in contracts. */
const LOT_DECIMALS = 2;
/** Coins that have a contract in USDC and an inverse one besides, and the part of their open interest in USDC. */
const MAJOR: readonly string[] = ['BTC', 'ETH'];
const USDC_PART = 0.08;
/** Price of USDC in USDT. */
const USDC_PRICE = 0.9998;
/** Dollars in an inverse contract. */
const INVERSE_USD = 100;
const CATEGORIES: Readonly<Record<string, string>> = { stocks: '3', indices: '3', commodities: '4' };

/** A swap as this venue names and counts it. */
export interface Listing {
  readonly coin: Coin;
  readonly instId: string;
  /** The pair of its index. */
  readonly uly: string;
  readonly base: string;
  readonly quote: 'USDT' | 'USDC' | 'USD';
  /** How many of its base coin make one unit of the market. */
  readonly perUnit: number;
  /** In the base coin, or dollars where it is inverse. */
  readonly ctVal: number;
  readonly priceDecimals: number;
  /** Its part of the coin's open interest. */
  readonly part: number;
  readonly state: 'live' | 'suspend';
  readonly instCategory: string;
}

/** Everything in its list: tradable contracts, contracts that are not crypto, and delisted ones. */
export const listingsOf = perMarket((venue): readonly Listing[] => {
  return everyListed(venue).flatMap((coin) => {
    if (!MAJOR.includes(coin.name)) return [listingOf(coin, 'USDT', 1)];
    return [
      listingOf(coin, 'USDT', 1 - USDC_PART),
      listingOf(coin, 'USDC', USDC_PART),
      listingOf(coin, 'USD', USDC_PART),
    ];
  });
});

export const liveListings = perMarket((market): readonly Listing[] => {
  return listingsOf(market).filter(({ state, coin }) => state === 'live' && coin.category === undefined);
});

/** The swap that a coin's forced orders are of. */
export function mainListing(coin: Coin): Listing {
  return listingOf(coin, 'USDT', MAJOR.includes(coin.name) ? 1 - USDC_PART : 1);
}

function listingOf(coin: Coin, quote: Listing['quote'], part: number): Listing {
  const { name: base, perUnit } = bareCoin(coin.name);
  const price = coin.price / perUnit;
  return {
    coin,
    instId: `${base}-${quote}-SWAP`,
    uly: `${base}-${quote}`,
    base,
    quote,
    perUnit,
    ctVal: quote === 'USD' ? INVERSE_USD : Number(`1e${Math.floor(Math.log10(CONTRACT_USD_MAX / price))}`),
    priceDecimals: decimalsFor(price, PRICE_FIGURES),
    part,
    state: coin.isDelisted ? 'suspend' : 'live',
    instCategory: coin.category === undefined ? '1' : (CATEGORIES[coin.category] ?? ''),
  };
}

/** A price of the market in the listing's unit and quote coin. */
function priceOf(price: number, { perUnit, quote }: Listing): number {
  return (price / perUnit) * (quote === 'USDC' ? 1 / USDC_PRICE : 1);
}

/** The same in dollars. */
export function dollarsOf(price: number, listing: Listing, market: VenueMarket, nowMs: number): number {
  const money = moneyOf(market);
  const worth = { USD: 1, USDT: money.usdt(nowMs), USDC: money.usdc(nowMs) };
  return priceOf(price, listing) * worth[listing.quote];
}

const moneyOf = perMarket(({ market }) => new Currencies(market.seed));

export function printPrice(price: number, listing: Listing): string {
  return plainDecimal(priceOf(price, listing), listing.priceDecimals);
}

/** A size in units of the market, in contracts. */
export function contractsOf(size: number, price: number, { perUnit, quote, ctVal }: Listing): number {
  const coins = size * perUnit;
  const contracts = (quote === 'USD' ? (coins * price) / perUnit : coins) / ctVal;
  return Number(contracts.toFixed(LOT_DECIMALS));
}

/** Contracts in the base coin. */
export function coinsOf(contracts: number, price: number, { perUnit, quote, ctVal }: Listing): number {
  return quote === 'USD' ? (contracts * ctVal * perUnit) / price : contracts * ctVal;
}
