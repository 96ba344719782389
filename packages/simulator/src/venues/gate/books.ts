import type { WireLevel } from '../order-book.ts';
import type { Session } from '../wire.ts';
import { contractsOf, type Listing, printPrice } from './listing.ts';
import type { PrintCount } from './sizes.ts';
import { tradeMarket } from './trades.ts';

export const BOOK_CHANNEL = 'futures.order_book';
const DEPTH = 20;

/**
 * {"channel":"futures.order_book","event":"all","time":1541500161,"result":{"t":1541500161123,"contract":"BTC_USDT",
 *  "id":93973511,"asks":[{"p":"97.1","s":2245}],"bids":[{"p":"97.1","s":2245}]}}, then `update` with rows
 * {"p":"97.1","s":-2245,"c":"BTC_USDT","id":93973512}: below zero an ask, 0 a level that is gone.
 * https://www.gate.com/docs/developers/futures/ws/en/#order-book-api [D, T]
 */
export function followBook(
  session: Session,
  listing: Listing,
  printing: { readonly count: PrintCount; readonly frame: (rest: object) => string },
): void {
  const { name } = listing;
  session.followBook(`${BOOK_CHANNEL} ${name}`, {
    book: {
      market: tradeMarket(session.market, listing),
      price: (price) => printPrice(price, listing),
      size: (size) => String(contractsOf(size, listing)),
    },
    depth: DEPTH,
    print({ isSnapshot, bids, asks, ts }, nextNumber) {
      const about = { channel: BOOK_CHANNEL, event: isSnapshot ? 'all' : 'update' };
      if (isSnapshot) {
        const rows = (levels: readonly WireLevel[]) =>
          levels.map(([p, s]) => ({ p, s: printing.count(Number(s)) }));
        const result = { t: ts, contract: name, id: nextNumber(), asks: rows(asks), bids: rows(bids) };
        return [printing.frame({ ...about, result })];
      }
      const rows = (levels: readonly WireLevel[], sign: 1 | -1) =>
        levels.map(([p, s]) => ({
          p,
          s: printing.count(Number(s) === 0 ? 0 : sign * Number(s)),
          c: name,
          id: nextNumber(),
        }));
      // A price that leaves one side may join the other: removals come first.
      const all = [...rows(asks, -1), ...rows(bids, 1)];
      const gone = all.filter(({ s }) => Number(s) === 0);
      const result = [...gone, ...all.filter(({ s }) => Number(s) !== 0)];
      return [printing.frame({ ...about, result })];
    },
  });
}
