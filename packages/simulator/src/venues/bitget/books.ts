import { isFields } from '../../json.ts';
import type { Session } from '../wire.ts';
import { type Listing, printPrice, printSize } from './listing.ts';
import { tradeMarket } from './trades.ts';

const BOOK_TOPIC = 'books';
const DEPTH = 60;
/** Numbers of messages have 19 digits. */
const FIRST_SEQ = 1_343_064_377_000_000_000n;

export function isBookArg(arg: unknown): boolean {
  return isFields(arg) && arg['topic'] === BOOK_TOPIC;
}

export function bookTopic({ symbol }: Listing): string {
  return `${BOOK_TOPIC} ${symbol}`;
}

/**
 * {"action":"snapshot","arg":{"instType":"usdt-futures","topic":"books","symbol":"BTCUSDT"},"data":[{"a":[["80810.7","3.1"]],
 *  "b":[["80810.6","0.8"]],"checksum":0,"pseq":0,"seq":"1343064377779269632","ts":"1755937421270"}],"ts":1755937421337} [C]
 * That `pseq` is text in updates is a guess [K].
 */
export function followBook(session: Session, listing: Listing, arg: unknown): void {
  let before: string | 0 = 0;
  session.followBook(bookTopic(listing), {
    book: {
      market: tradeMarket(session.market, listing),
      price: (price) => printPrice(price, listing),
      size: (size) => printSize(size, listing),
    },
    depth: DEPTH,
    print({ isSnapshot, bids, asks, ts }, nextNumber) {
      const seq = String(FIRST_SEQ + BigInt(nextNumber()));
      const pairs = (levels: typeof bids) => levels.map(([price, size]) => [price, size]);
      const numbers = { checksum: 0, pseq: isSnapshot ? 0 : before, seq };
      before = seq;
      const data = [{ a: pairs(asks), b: pairs(bids), ...numbers, ts: String(ts) }];
      return [JSON.stringify({ action: isSnapshot ? 'snapshot' : 'update', arg, data, ts: ts + 1 })];
    },
  });
}
