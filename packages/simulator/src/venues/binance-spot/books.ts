import { printEvent } from '../binance/stream-sockets.ts';
import { printPrice, printSize } from '../spot-pairs.ts';
import { spotTrades } from '../spot-trades.ts';
import type { Session } from '../wire.ts';
import { findListing } from './listings.ts';

const STREAM = /^([a-z0-9]+)@depth20@100ms$/;
const DEPTH = 20;

/**
 * {"lastUpdateId":160,"bids":[["0.0024","10"]],"asks":[["0.0026","100"]]}: neither the pair nor a time. Gives whether the
 * stream carries the book of a pair.
 * https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams#partial-book-depth-streams [D]
 */
export function followBook(session: Session, stream: string): boolean {
  const listing = findListing(session.market, STREAM.exec(stream)?.[1]?.toUpperCase());
  if (listing?.status !== 'TRADING') return false;
  session.followBook(stream, {
    book: {
      market: spotTrades(session.market, listing.symbol, listing),
      price: (price) => printPrice(price, listing),
      size: printSize,
    },
    depth: DEPTH,
    isWhole: true,
    print({ bids, asks }, nextNumber) {
      const pairs = (levels: typeof bids) => levels.map(([price, size]) => [price, size]);
      const data = { lastUpdateId: nextNumber(), bids: pairs(bids), asks: pairs(asks) };
      return [printEvent(session, stream, data)];
    },
  });
  return true;
}
