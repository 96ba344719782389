import type { MarketTrade, VenueTrade } from '@crosstape/core';
import type { TradeFeed } from '@crosstape/venues';

/** A trade as the tape of a coin knows it. */
export function asVenueTrade(
  { symbol, side, price, size, venueTs, tid, order }: MarketTrade,
  { grouping }: Pick<TradeFeed, 'grouping'>,
): VenueTrade {
  // Where the venue names no orders, fills of one time and side are taken for one.
  const taker = grouping === 'time' ? '' : order;
  return taker === undefined
    ? { coin: symbol, side, price, size, venueTs, tid }
    : { coin: symbol, side, price, size, venueTs, tid, taker };
}
