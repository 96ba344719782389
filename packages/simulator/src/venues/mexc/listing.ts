import type { Coin } from '../../market/coins.ts';
import { bareCoin, everyListed, type VenueMarket } from '../../market/venue-market.ts';
import { perMarket } from '../per-market.ts';
import { decimalsFor } from '../plain-decimal.ts';

const PRICE_FIGURES = 6;
/** A contract is the largest power of ten of its coin that is worth at most this, in dollars. */
const CONTRACT_USD_MAX = 10;
/** A coin that the venue lists by the thousand; all others it lists one by one. */
const LISTED_IN_THOUSANDS: readonly string[] = ['BONK'];
/** Coins for which the venue has its own id: `baseCoin` and symbol are made of it, `baseCoinName` is the coin [M]. */
const OWN_IDS: Readonly<Record<string, string>> = {
  TRUMP: 'TRUMPOFFICIAL',
  FIL: 'FILECOIN',
  TON: 'TONCOIN',
  PUMP: 'PUMPFUN',
};
const STATE = { enabled: 0, offline: 3 } as const;
const ZONES: Readonly<Record<string, readonly string[]>> = {
  stocks: ['mc-trade-zone-tradfi', 'mc-trade-zone-Stock'],
  indices: ['mc-trade-zone-tradfi'],
  commodities: ['mc-trade-zone-tradfi', 'mc-trade-zone-metalsfutures'],
};
const CRYPTO_ZONES: readonly string[] = ['mc-trade-zone-0fees'];

/** A contract as this venue names and counts it. */
export interface Listing {
  readonly contractId: number;
  readonly coin: Coin;
  readonly symbol: string;
  /** The venue's id of the coin, which is most often its name. */
  readonly baseCoin: string;
  readonly baseCoinName: string;
  readonly quoteCoin: 'USDT' | 'USD';
  readonly settleCoin: string;
  /** How many of its base coin make one unit of the market. */
  readonly perUnit: number;
  /** In the base coin, or dollars where it is inverse. */
  readonly contractSize: number;
  readonly priceDecimals: number;
  readonly state: number;
  readonly isHidden: boolean;
  readonly conceptPlate: readonly string[];
}

/**
 * Everything in its list: tradable contracts, an inverse one, a hidden one, contracts that are not crypto, delisted
 * ones.
 */
export function listingsOf(venue: VenueMarket): readonly Listing[] {
  const listings = everyListed(venue).map(listingOf);
  const [first] = listings;
  if (!first) return [];
  const inverse: Listing = {
    ...first,
    contractId: listings.length,
    symbol: `${first.baseCoin}_USD`,
    quoteCoin: 'USD',
    settleCoin: first.baseCoin,
    contractSize: 100,
  };
  const hidden: Listing = {
    ...first,
    contractId: listings.length + 1,
    symbol: `${first.baseCoin}TEST_USDT`,
    baseCoin: `${first.baseCoin}TEST`,
    baseCoinName: `${first.baseCoin}TEST`,
    isHidden: true,
  };
  return [...listings, inverse, hidden];
}

export const enabledListings = perMarket((market): readonly Listing[] =>
  listingsOf(market).filter(({ state, coin }) => state === STATE.enabled && coin.category === undefined),
);

function listingOf(coin: Coin, contractId: number): Listing {
  const bare = bareCoin(coin.name);
  const inThousands = LISTED_IN_THOUSANDS.includes(bare.name);
  const baseCoinName = inThousands ? `1000${bare.name}` : bare.name;
  const baseCoin = OWN_IDS[baseCoinName] ?? baseCoinName;
  const perUnit = inThousands ? bare.perUnit / 1000 : bare.perUnit;
  const price = coin.price / perUnit;
  return {
    contractId,
    coin,
    symbol: `${baseCoin}_USDT`,
    baseCoin,
    baseCoinName,
    quoteCoin: 'USDT',
    settleCoin: 'USDT',
    perUnit,
    contractSize: Number(`1e${Math.floor(Math.log10(CONTRACT_USD_MAX / price))}`),
    priceDecimals: decimalsFor(price, PRICE_FIGURES),
    state: coin.isDelisted ? STATE.offline : STATE.enabled,
    isHidden: false,
    conceptPlate: coin.category === undefined ? CRYPTO_ZONES : (ZONES[coin.category] ?? []),
  };
}

/** A price of the market in the listing's unit, as a number with as many decimals as the venue prints. */
export function priceOf(price: number, { perUnit, priceDecimals }: Listing): number {
  return Number((price / perUnit).toFixed(priceDecimals));
}

/** A size in units of the market, in whole contracts. */
export function contractsOf(
  size: number,
  price: number,
  { perUnit, quoteCoin, contractSize }: Listing,
): number {
  const worth = quoteCoin === 'USD' ? size * price : size * perUnit;
  return Math.round(worth / contractSize);
}
