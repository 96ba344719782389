import type { BookMarket } from '../order-book.ts';
import type { Session } from '../wire.ts';
import type { BybitTrades } from './trades.ts';

export const BOOK_TOPIC = 'orderbook.50.';
const DEPTH = 50;

/** The book of a market, around its trades. */
function bookOf({ market, price, size }: BybitTrades): BookMarket {
  const deal = { number: 0, ts: 0, side: 'buy', order: 0, isLiquidation: false } as const;
  return {
    market,
    price: (value) => price({ ...deal, price: value, size: 0 }),
    size: (value, at) => size({ ...deal, price: at, size: value }),
  };
}

/**
 * {"topic":"orderbook.50.BTCUSDT","type":"delta","ts":1687940967466,"data":{"s":"BTCUSDT","b":[["30247.20","30.028"]],
 *  "a":[["30248.70","0"]],"u":177400507,"seq":66544703342},"cts":1687940967464}
 * https://bybit-exchange.github.io/docs/v5/websocket/public/orderbook [D]
 */
export function followBook(session: Session, printed: BybitTrades): void {
  const { symbol } = printed.market;
  const topic = `${BOOK_TOPIC}${symbol}`;
  session.followBook(topic, {
    book: bookOf(printed),
    depth: DEPTH,
    print({ isSnapshot, bids, asks, ts }, nextNumber) {
      const u = nextNumber();
      const pairs = (levels: typeof bids) => levels.map(([price, size]) => [price, size]);
      const data = { s: symbol, b: pairs(bids), a: pairs(asks), u, seq: u * 3 };
      const type = isSnapshot ? 'snapshot' : 'delta';
      return [JSON.stringify({ topic, type, ts, data, cts: ts - 2 })];
    },
  });
}
