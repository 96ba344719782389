import type { MarketTrade } from '@crosstape/core';
import type { TradeFeed } from '@crosstape/venues';

/** A key shared by the fills of one taker order. If the venue names no orders, fills with the same time and side count as one. */
export function takerOf(
  { order }: Pick<MarketTrade, 'order'>,
  { grouping }: Pick<TradeFeed, 'grouping'>,
): string | undefined {
  return grouping === 'time' ? '' : order;
}
