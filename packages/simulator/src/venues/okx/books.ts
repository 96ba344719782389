import { isFields } from '../../json.ts';
import { plainDecimal } from '../plain-decimal.ts';
import type { Session } from '../wire.ts';
import type { OkxTrades } from './trades.ts';

const BOOK_CHANNEL = 'books';
/** Of 400 at most [D]: a market of few makers has fewer. */
const DEPTH = 60;

/** The contract or pair of a subscription to a book. */
export function bookArgOf(arg: unknown): string | undefined {
  return isFields(arg) && arg['channel'] === BOOK_CHANNEL ? String(arg['instId']) : undefined;
}

export function bookTopic(instId: string): string {
  return `${BOOK_CHANNEL} ${instId}`;
}

/**
 * {"arg":{"channel":"books","instId":"BTC-USDT"},"action":"update","data":[{"asks":[["8476.98","415","0","13"]],
 *  "bids":[["8476.97","0","0","0"]],"ts":"1597026383085","checksum":0,"prevSeqId":123456,"seqId":123457}]}
 * A snapshot has a `prevSeqId` of -1. The checksum is no longer computed [K].
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-ws-order-book-channel [D]
 */
export function followBook(session: Session, printed: OkxTrades): void {
  const { symbol } = printed.market;
  const deal = { number: 0, ts: 0, side: 'buy', order: 0, isLiquidation: false } as const;
  let before = -1;
  session.followBook(bookTopic(symbol), {
    book: {
      market: printed.market,
      price: (value) => printed.price({ ...deal, price: value, size: 0 }),
      size: (value, at) =>
        plainDecimal(printed.size({ ...deal, price: at, size: value }), printed.sizeDecimals),
    },
    depth: DEPTH,
    print({ isSnapshot, bids, asks, ts }, nextNumber) {
      const seqId = nextNumber();
      const rows = (levels: typeof bids) =>
        levels.map(([price, size, orders]) => [price, size, '0', String(orders)]);
      const numbers = { checksum: 0, prevSeqId: isSnapshot ? -1 : before, seqId };
      before = seqId;
      const data = [{ asks: rows(asks), bids: rows(bids), ts: String(ts), ...numbers }];
      const arg = { channel: BOOK_CHANNEL, instId: symbol };
      return [JSON.stringify({ arg, action: isSnapshot ? 'snapshot' : 'update', data })];
    },
  });
}
