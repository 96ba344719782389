import { printPrice, printSize } from '../spot-pairs.ts';
import { spotTrades } from '../spot-trades.ts';
import type { Session } from '../wire.ts';
import type { Product } from './products.ts';
import { isoOf } from './rest.ts';

const DEPTH = 60;

/**
 * {"type":"snapshot","product_id":"BTC-USD","bids":[["10101.10","0.45054140"]],"asks":[["10102.55","0.57753524"]]}, then
 * {"type":"l2update","product_id":"BTC-USD","time":"2019-08-14T20:42:27.265Z","changes":[["buy","10101.80","0.16"]]}
 * https://docs.cdp.coinbase.com/exchange/websocket-feed/channels#level2-batch-channel [D]
 */
export function followBook(session: Session, topic: string, product: Product): void {
  session.followBook(topic, {
    book: {
      market: spotTrades(session.market, product.id, product),
      price: (price) => printPrice(price, product),
      size: printSize,
    },
    depth: DEPTH,
    print({ isSnapshot, bids, asks, ts }) {
      const about = { type: isSnapshot ? 'snapshot' : 'l2update', product_id: product.id };
      const pairs = (levels: typeof bids) => levels.map(([price, size]) => [price, size]);
      if (isSnapshot) return [JSON.stringify({ ...about, bids: pairs(bids), asks: pairs(asks) })];
      const changes = [
        ...pairs(bids).map((level) => ['buy', ...level]),
        ...pairs(asks).map((level) => ['sell', ...level]),
      ];
      return [JSON.stringify({ ...about, time: isoOf(ts), changes })];
    },
  });
}
