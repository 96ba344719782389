import type { MarketTrade } from '@crosstape/core';
import type { TradeFeed } from '@crosstape/venues';

/** What the fills of one taker order share. Where the venue names no orders, fills of one time and side are taken for one. */
export function takerOf(
  { order }: Pick<MarketTrade, 'order'>,
  { grouping }: Pick<TradeFeed, 'grouping'>,
): string | undefined {
  return grouping === 'time' ? '' : order;
}
