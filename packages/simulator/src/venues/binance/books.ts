import type { Session } from '../wire.ts';
import { type Listing, tradedOf } from './listing.ts';
import { printEvent } from './stream-sockets.ts';
import { tradeMarket } from './trades.ts';

const STREAM = /^([a-z0-9]+)@depth20@100ms$/;
const DEPTH = 20;

/** The contract whose book a stream carries. */
export function listingOfBook({ market, path }: Session, stream: string): Listing | undefined {
  const symbol = path.startsWith('/public/') ? STREAM.exec(stream)?.[1]?.toUpperCase() : undefined;
  return symbol === undefined ? undefined : tradedOf(market).find((listing) => listing.symbol === symbol);
}

/**
 * {"e":"depthUpdate","E":1571889248277,"T":1571889248276,"s":"BTCUSDT","U":390497796,"u":390497878,"pu":390497794,
 *  "b":[["7403.89","0.002"]],"a":[["7405.96","3.340"]]}
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/websocket-market-streams/Partial-Book-Depth-Streams [D]
 */
export function followBook(session: Session, stream: string, listing: Listing): void {
  const { coin, priceDecimals, symbol } = listing;
  session.followBook(stream, {
    book: {
      market: tradeMarket(session.market, listing),
      price: (price) => price.toFixed(priceDecimals),
      size: (size) => size.toFixed(coin.sizeDecimals),
    },
    depth: DEPTH,
    isWhole: true,
    print({ bids, asks, ts }, nextNumber) {
      const u = nextNumber() * 10;
      const pairs = (levels: typeof bids) => levels.map(([price, size]) => [price, size]);
      const numbers = { U: u - 8, u, pu: u - 10 };
      const data = {
        e: 'depthUpdate',
        E: ts,
        T: ts - 1,
        s: symbol,
        ...numbers,
        b: pairs(bids),
        a: pairs(asks),
        st: 1,
      };
      return [printEvent(session, stream, data)];
    },
  });
}
