import type { Session } from '../wire.ts';
import { type Listing, priceOf, sizeOf } from './listing.ts';
import { tradeMarket } from './trades.ts';

export const BOOK_FEED = 'book';
const DEPTH = 40;

export function bookTopic({ symbol }: Listing): string {
  return `${BOOK_FEED} ${symbol}`;
}

/**
 * {"feed":"book_snapshot","product_id":"PI_XBTUSD","timestamp":1612269825817,"seq":326072249,"tickSize":null,
 *  "bids":[{"price":34892.5,"qty":6385}],"asks":[…]}, then a frame for each level that changed:
 * {"feed":"book","product_id":"PI_XBTUSD","side":"sell","seq":326094134,"price":34981,"qty":0,"timestamp":1612269953629} [D]
 */
export function followBook(session: Session, listing: Listing): void {
  const product = listing.symbol;
  session.followBook(bookTopic(listing), {
    book: {
      market: tradeMarket(session.market, listing),
      price: (price) => String(priceOf(price, listing)),
      size: (size) => String(sizeOf(size, listing)),
    },
    depth: DEPTH,
    print({ isSnapshot, bids, asks, ts }, nextNumber) {
      const about = { product_id: product };
      if (isSnapshot) {
        const rows = (levels: typeof bids) =>
          levels.map(([price, size]) => ({ price: Number(price), qty: Number(size) }));
        const sides = { bids: rows(bids), asks: rows(asks) };
        const rest = { timestamp: ts, seq: nextNumber(), tickSize: null };
        return [JSON.stringify({ feed: 'book_snapshot', ...about, ...rest, ...sides })];
      }
      const frames = (levels: typeof bids, side: 'buy' | 'sell') =>
        levels.map(([price, size]) => {
          const level = { price: Number(price), qty: Number(size), timestamp: ts };
          return JSON.stringify({ feed: BOOK_FEED, ...about, side, seq: nextNumber(), ...level });
        });
      return [...frames(bids, 'buy'), ...frames(asks, 'sell')];
    },
  });
}
