import type { Session } from '../wire.ts';
import { contractsOf, type Listing, priceOf } from './listing.ts';
import { tradeMarket } from './trades.ts';

const DEPTH = 20;

export function bookTopic(symbol: string): string {
  return `depth ${symbol}`;
}

/**
 * {"channel":"push.depth.full","data":{"asks":[[6859.5,3251,1]],"bids":[[6859,1,1]],"version":96801927},
 *  "symbol":"BTC_USDT","ts":1587442022003}: numbers, whole each time [D, K].
 */
export function followBook(session: Session, listing: Listing): void {
  const { symbol } = listing;
  session.followBook(bookTopic(symbol), {
    book: {
      market: tradeMarket(session.market, listing),
      price: (price) => String(priceOf(price, listing)),
      size: (size, price) => String(contractsOf(size, price, listing)),
    },
    depth: DEPTH,
    isWhole: true,
    print({ bids, asks, ts }, nextNumber) {
      const rows = (levels: typeof bids) =>
        levels.map(([price, size, orders]) => [Number(price), Number(size), orders]);
      const data = { asks: rows(asks), bids: rows(bids), version: nextNumber() };
      return [JSON.stringify({ channel: 'push.depth.full', data, symbol, ts })];
    },
  });
}
