import type { VenueMarket } from '../../market/venue-market.ts';
import { answerKlines, KLINE_CALLS } from '../okx/klines.ts';
import { answerTrades, type OkxTrades, TRADE_CALLS } from '../okx/trades.ts';
import { printPrice, printSize, type SpotPair } from '../spot-pairs.ts';
import { spotTrades } from '../spot-trades.ts';
import type { Question, WireLimit, WireRoute } from '../wire.ts';
import { findPair } from './tickers.ts';

const SIZE_DECIMALS = 8;

/** Sizes are in the base currency [D]. */
export function pairTrades(market: VenueMarket, pair: SpotPair): OkxTrades {
  return {
    market: spotTrades(market, `${pair.base}-${pair.quote}`, pair),
    price: ({ price }) => printPrice(price, pair),
    size: ({ size }) => Number(printSize(size)),
    sizeDecimals: SIZE_DECIMALS,
  };
}

export const tradeRoutes: readonly WireRoute[] = [
  ...TRADE_CALLS.map(({ path, read }) => ({
    path,
    costs: () => ({ [path]: 1 }),
    answer: (asked: Question) => answerTrades(asked, read, (instId) => findTrades(asked, instId)),
  })),
  ...KLINE_CALLS.map(({ path, limitMax }) => ({
    path,
    costs: () => ({ [path]: 1 }),
    answer: (asked: Question) =>
      answerKlines(asked, limitMax, (instId) => {
        const trades = findTrades(asked, instId);
        return trades && { ...trades, contractSize: 1 };
      }),
  })),
];

function findTrades({ market }: Question, instId: string): OkxTrades | undefined {
  const pair = findPair(market, instId);
  return pair && pairTrades(market, pair);
}

export const tradeLimits: readonly WireLimit[] = [...TRADE_CALLS, ...KLINE_CALLS].map(({ path, max }) => ({
  name: path,
  spanMs: 2000,
  max,
}));
