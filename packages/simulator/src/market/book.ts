import type { BookSide } from './book-side.ts';
import type { CoinMarket } from './coin-market.ts';

export interface Level {
  /** In dollars, on the venue's tick. */
  readonly price: number;
  /** In coins. */
  readonly size: number;
  /** How many orders rest here. */
  readonly orders: number;
}

/** The book that the orders of a block meet. */
export interface Book {
  /** Time of the block. */
  readonly ts: number;
  /** Best first. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** The best levels of a side that has been opened. */
export function levelsOf(side: BookSide, market: CoinMarket, count: number): Level[] {
  const levels: Level[] = [];
  for (let i = 0; i < count; i += 1) {
    if (i > 0) side.next();
    levels.push({
      price: side.price / market.dollar,
      size: side.lots / market.lotsPerCoin,
      orders: side.orders,
    });
  }
  return levels;
}

/** Mean fill price of an order of this many dollars, going no deeper than the levels given. */
export function impactPrice(levels: readonly Level[], notionalUsd: number): number {
  let coins = 0;
  let usd = 0;
  for (const level of levels) {
    const take = Math.min(level.size, (notionalUsd - usd) / level.price);
    coins += take;
    usd += take * level.price;
    if (usd >= notionalUsd) break;
  }
  return usd / coins;
}
