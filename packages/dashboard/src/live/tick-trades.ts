import type { TickPage, Trade } from '@crosstape/client';

/** A trade of recorded columns. */
export function tradeAt(
  { ts, price, size, isBuy, priceDecimals, sizeDecimals }: TickPage['ticks'],
  at: number,
): Trade {
  return {
    ts: ts[at] as number,
    price: (price[at] as number) / 10 ** priceDecimals,
    size: (size[at] as number) / 10 ** sizeDecimals,
    side: isBuy[at] === 1 ? 'buy' : 'sell',
  };
}
