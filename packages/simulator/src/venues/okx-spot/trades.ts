import type { VenueMarket } from '../../market/venue-market.ts';
import { answerTrades, type OkxTrades, TRADE_CALLS } from '../okx/trades.ts';
import { printPrice, printSize, type SpotPair } from '../spot-pairs.ts';
import { spotTrades } from '../spot-trades.ts';
import type { WireLimit, WireRoute } from '../wire.ts';
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

export const tradeRoutes: readonly WireRoute[] = TRADE_CALLS.map(({ path, read }) => ({
  path,
  costs: () => ({ [path]: 1 }),
  answer: (asked) =>
    answerTrades(asked, read, (instId) => {
      const pair = findPair(asked.market, instId);
      return pair && pairTrades(asked.market, pair);
    }),
}));

export const tradeLimits: readonly WireLimit[] = TRADE_CALLS.map(({ path, max }) => ({
  name: path,
  spanMs: 2000,
  max,
}));
