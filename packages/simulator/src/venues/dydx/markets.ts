import { DAY_MS } from '@crosstape/core';
import type { Coin } from '../../market/coins.ts';
import { bareCoin, type VenueMarket } from '../../market/venue-market.ts';
import { perMarket } from '../per-market.ts';
import { decimalsFor, plainDecimal } from '../plain-decimal.ts';
import { Reply, type WireRoute } from '../wire.ts';

/** One market, in the venue's own units. */
export interface DydxMarket {
  readonly ticker: string;
  readonly clobPairId: number;
  readonly coin: Coin;
  readonly status: 'ACTIVE' | 'INITIALIZING' | 'FINAL_SETTLEMENT';
  readonly marketType: 'CROSS' | 'ISOLATED';
  /** Its coins in one unit of the primary venue's. */
  readonly perUnit: number;
  readonly priceDecimals: number;
  readonly sizeDecimals: number;
}

const ISOLATED_BELOW_USD = 10e6;
/** A long-tail token goes by its pool [K]. */
const POOL = 'RAYDIUM,9BB6NFECJBCTNNLFKO2FQVQBQ8HHM13KCYYCDQBGPUMP';

/**
 * Metal and oil trade beside the coins, and nothing distinguishes them [L]: derived from the market's gold by a factor.
 */
const NOT_COINS = [
  { ticker: 'XAG-USD', perUnit: 80 },
  { ticker: 'WTI-USD', perUnit: 65 },
] as const;

/** Active markets, one that is about to start, delisted ones, a token of a pool, silver and oil. */
export const marketsOf = perMarket((market): readonly DydxMarket[] => {
  const active = market.coins.map((coin, i) => marketOf(coin, i));
  const listed = new Set(market.coins);
  const candidates = market.market.coins.filter((coin) => coin.dex === '' && !listed.has(coin));
  const next = candidates.find((coin) => !coin.isDelisted);
  const ended = candidates.filter((coin) => coin.isDelisted);
  const gold = market.market.coins.find((coin) => coin.category === 'commodities');
  const pooled = market.coins.find((coin) => coin.name === 'FARTCOIN');
  return [
    ...active,
    ...(next ? [{ ...marketOf(next, 400), status: 'INITIALIZING' as const }] : []),
    ...ended.map((coin, i) => ({ ...marketOf(coin, 300 + i), status: 'FINAL_SETTLEMENT' as const })),
    ...(gold ? NOT_COINS.map((one, i) => ({ ...marketOf(gold, 600 + i), ...one })) : []),
    ...(pooled ? [{ ...marketOf(pooled, 500), ticker: `${pooled.name},${POOL}-USD` }] : []),
  ];
});

function marketOf(coin: Coin, clobPairId: number): DydxMarket {
  const { name, perUnit } = bareCoin(coin.name);
  return {
    ticker: `${name}-USD`,
    clobPairId,
    coin,
    status: 'ACTIVE',
    marketType: coin.openInterestUsd < ISOLATED_BELOW_USD ? 'ISOLATED' : 'CROSS',
    perUnit,
    priceDecimals: decimalsFor(coin.price / perUnit, 5),
    sizeDecimals: Math.max(0, coin.sizeDecimals - 1),
  };
}

/** A size of the primary venue's units in steps of the market's. */
export function printSize({ perUnit, sizeDecimals }: DydxMarket, units: number): string {
  const step = 10 ** -sizeDecimals;
  const rounded = Math.max(step, Number(units.toFixed(sizeDecimals)));
  return plainDecimal(rounded * perUnit, sizeDecimals);
}

export function printPrice({ perUnit, priceDecimals }: DydxMarket, price: number): string {
  return plainDecimal(price / perUnit, priceDecimals);
}

/** The oracle's price has more decimals than the book's. */
export function printOracle({ perUnit, priceDecimals }: DydxMarket, price: number): string {
  return plainDecimal(price / perUnit, priceDecimals + 2);
}

/** {"errors":[{"value":"NOPE-USD","msg":"…","param":"ticker","location":"query"}]} [D: the shape, K: the words] */
export function badTicker(
  value: string,
  where: { readonly param: string; readonly location: string },
): Reply {
  const msg = `${where.param} must be a valid ticker (BTC-USD, etc)`;
  return new Reply({ errors: [{ value, msg, ...where }] }, 400);
}

/** https://docs.dydx.xyz/indexer-client/http#list-perpetual-markets */
export const perpetualMarkets: WireRoute = {
  path: '/v4/perpetualMarkets',
  answer({ market, query, nowMs }) {
    // `market` in the documents and the official client, `ticker` in the indexer's own description [D].
    const param = query.has('market') ? 'market' : 'ticker';
    const ticker = query.get(param);
    const all = marketsOf(market);
    const wanted = ticker === null ? all : all.filter((one) => one.ticker === ticker);
    if (ticker !== null && wanted.length === 0) return badTicker(ticker, { param, location: 'query' });
    const limit = Number(query.get('limit') ?? wanted.length);
    const rows = wanted.slice(0, limit).map((one) => [one.ticker, printMarket(one, market, nowMs)] as const);
    return new Reply({ markets: Object.fromEntries(rows) });
  },
};

/** {"clobPairId":"0","ticker":"BTC-USD","status":"ACTIVE","oraclePrice":"89919.2",…} [D] */
function printMarket(one: DydxMarket, market: VenueMarket, nowMs: number): Record<string, unknown> {
  const { ticker, clobPairId, coin, status, marketType, sizeDecimals, priceDecimals, perUnit } = one;
  return {
    clobPairId: String(clobPairId),
    ticker,
    status,
    ...(status === 'ACTIVE' ? printState(one, market, nowMs) : printNothing(one)),
    initialMarginFraction: plainDecimal(1 / coin.leverageMax, 4),
    maintenanceMarginFraction: plainDecimal(0.6 / coin.leverageMax, 4),
    atomicResolution: -(sizeDecimals + 6),
    quantumConversionExponent: -9,
    tickSize: plainDecimal(10 ** -priceDecimals, priceDecimals),
    stepSize: plainDecimal(perUnit * 10 ** -sizeDecimals, sizeDecimals),
    stepBaseQuantums: 1_000_000,
    subticksPerTick: 100_000,
    marketType,
    openInterestLowerCap: marketType === 'ISOLATED' ? '500000' : '0',
    openInterestUpperCap: marketType === 'ISOLATED' ? '1000000' : '0',
    defaultFundingRate1H: marketType === 'ISOLATED' ? '0.0000125' : '0',
  };
}

interface MarketState {
  readonly oraclePrice: string | null;
  readonly priceChange24H: string;
  readonly volume24H: string;
  readonly trades24H: number;
  readonly nextFundingRate: string;
  readonly openInterest: string;
  readonly baseOpenInterest: string;
}

function printState(one: DydxMarket, market: VenueMarket, nowMs: number): MarketState {
  const { coin, sizeDecimals, priceDecimals, perUnit } = one;
  const { index } = market.quote(coin.name, nowMs);
  const before = market.quote(coin.name, nowMs - DAY_MS).index;
  const { usd } = market.volume24h(coin.name, nowMs);
  const openInterest = printSize(one, market.openInterest(coin.name, nowMs));
  return {
    oraclePrice: printOracle(one, index),
    priceChange24H: plainDecimal((index - before) / perUnit, priceDecimals + 2),
    volume24H: plainDecimal(usd, 4),
    trades24H: Math.round(usd / 4000),
    nextFundingRate: plainDecimal(market.funding(coin.name, nowMs).rate, 16),
    openInterest,
    baseOpenInterest: plainDecimal(Number(openInterest) * 2.05, sizeDecimals),
  };
}

/** Before a market opens the oracle has no price for it; after its end, the last one. */
function printNothing(one: DydxMarket): MarketState {
  return {
    oraclePrice: one.status === 'INITIALIZING' ? null : printOracle(one, one.coin.price),
    priceChange24H: '0',
    volume24H: '0',
    trades24H: 0,
    nextFundingRate: '0',
    openInterest: '0',
    baseOpenInterest: '0',
  };
}
