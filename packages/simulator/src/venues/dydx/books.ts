import type { Session } from '../wire.ts';
import { type DydxMarket, printPrice, printSize } from './markets.ts';
import { tradeMarket } from './trades.ts';

export const BOOK_CHANNEL = 'v4_orderbook';
const DEPTH = 40;

export function bookTopic(id: string): string {
  return `${BOOK_CHANNEL} ${id}`;
}

/**
 * {"type":"subscribed",…,"contents":{"bids":[{"price":"60390","size":"0.05"}],"asks":[…]}}, then
 * {"type":"channel_data",…,"version":"1.0.0","contents":{"bids":[["60390","0"]]}} with the sides that changed [D, T].
 */
export function followBook(
  session: Session,
  one: DydxMarket,
  print: (message: { readonly type: string; readonly [field: string]: unknown }) => string,
): void {
  const id = one.ticker;
  session.followBook(bookTopic(id), {
    book: {
      market: tradeMarket(session.market, one),
      price: (price) => printPrice(one, price),
      size: (size) => printSize(one, size),
    },
    depth: DEPTH,
    print({ isSnapshot, bids, asks }) {
      if (isSnapshot) {
        const rows = (levels: typeof bids) => levels.map(([price, size]) => ({ price, size }));
        const contents = { bids: rows(bids), asks: rows(asks) };
        return [print({ type: 'subscribed', channel: BOOK_CHANNEL, id, contents })];
      }
      const rows = (levels: typeof bids) => levels.map(([price, size]) => [price, size]);
      const contents = {
        ...(bids.length > 0 && { bids: rows(bids) }),
        ...(asks.length > 0 && { asks: rows(asks) }),
      };
      return [print({ type: 'channel_data', id, channel: BOOK_CHANNEL, version: '1.0.0', contents })];
    },
  });
}
