import type { FindTrades } from '../okx/trades.ts';
import { printPrice, printSize } from '../spot-pairs.ts';
import { spotTrades } from '../spot-trades.ts';
import { findPair } from './tickers.ts';

/** Sizes are in the base currency [D]. */
export const findTrades: FindTrades = (market, instId) => {
  const pair = findPair(market, instId);
  if (!pair) return undefined;
  return {
    market: spotTrades(market, instId, pair),
    price: ({ price }) => printPrice(price, pair),
    size: ({ size }) => Number(printSize(size)),
    sizeDecimals: 8,
    contractSize: 1,
  };
};
