import type { VenueMarket } from '../../market/venue-market.ts';
import { perMarket } from '../per-market.ts';
import { pairsOf, printPrice, printSize, type SpotPair, tickOf } from '../spot-pairs.ts';

/** BTC-USDT at 115451.2: seen in captured trades. */
const PRICE_FIGURES = 6;

export const spotPairs = perMarket((market) =>
  pairsOf(market, ['USDT', 'USDC'], [['ETH', 'BTC', 5]], PRICE_FIGURES),
);

export function findPair(market: VenueMarket, instId: string): SpotPair | undefined {
  return spotPairs(market).find(({ base, quote }) => `${base}-${quote}` === instId);
}

/** The same over REST and on the socket. https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-tickers [D] */
export function printTicker(pair: SpotPair, market: VenueMarket, nowMs: number): object {
  const { bid, ask, last, before, midnight, volume } = tickOf(market, pair, nowMs);
  const price = (value: number): string => printPrice(value, pair);
  return {
    instType: 'SPOT',
    instId: `${pair.base}-${pair.quote}`,
    last: price(last),
    lastSz: '0.0012',
    askPx: price(ask),
    askSz: printSize(volume / 2e5),
    bidPx: price(bid),
    bidSz: printSize(volume / 1e5),
    open24h: price(before),
    high24h: price(Math.max(last, before)),
    low24h: price(Math.min(last, before)),
    volCcy24h: printSize((volume * (last + before)) / 2),
    vol24h: printSize(volume),
    ts: String(nowMs),
    sodUtc0: price(midnight),
    sodUtc8: price(midnight),
  };
}
