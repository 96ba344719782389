import { crc32 } from '@crosstape/core';
import type { WireLevel, WireSides } from '../order-book.ts';
import { printPrice, printSize } from '../spot-pairs.ts';
import type { Session } from '../wire.ts';
import type { Pair } from './pairs.ts';
import { isoOf, tradeMarket } from './trades.ts';

export const BOOK_CHANNEL = 'book';
const DEPTH = 25;
const CHECKED_LEVELS = 10;

export function bookTopic({ base, quote }: Pair): string {
  return `${BOOK_CHANNEL} ${base}/${quote}`;
}

/**
 * {"channel":"book","type":"update","data":[{"symbol":"MATIC/USD","bids":[{"price":0.5657,"qty":1098.39475580}],"asks":[],
 *  "checksum":2114181697,"timestamp":"2023-10-06T17:35:55.440295Z"}]}: figures are numbers with all their zeros; a level
 * that leaves the depth is not removed by a message [D].
 * https://docs.kraken.com/api/docs/websocket-v2/book
 */
export function followBook(session: Session, pair: Pair): void {
  const symbol = `${pair.base}/${pair.quote}`;
  session.followBook(bookTopic(pair), {
    book: {
      market: tradeMarket(session.market, pair),
      price: (price) => printPrice(price, pair),
      size: printSize,
    },
    depth: DEPTH,
    print({ isSnapshot, bids, asks, after, ts }) {
      const isLeft = (price: string, side: readonly WireLevel[], isBid: boolean): boolean => {
        const last = side.length < DEPTH ? undefined : side.at(-1)?.[0];
        return last !== undefined && (isBid ? Number(price) < Number(last) : Number(price) > Number(last));
      };
      const shown = (levels: typeof bids, side: typeof bids, isBid: boolean) =>
        levels.filter(([price, size]) => size !== '0' || !isLeft(price, side, isBid));
      const rows = (levels: typeof bids): string =>
        `[${levels.map(([price, size]) => `{"price":${price},"qty":${size}}`).join(',')}]`;
      const sides = isSnapshot
        ? after
        : { bids: shown(bids, after.bids, true), asks: shown(asks, after.asks, false) };
      const time = isSnapshot ? '' : `,"timestamp":"${isoOf(ts)}"`;
      const row = `{"symbol":"${symbol}","bids":${rows(sides.bids)},"asks":${rows(sides.asks)},"checksum":${checksumOf(after)}${time}}`;
      return [`{"channel":"book","type":"${isSnapshot ? 'snapshot' : 'update'}","data":[${row}]}`];
    },
  });
}

function checksumOf({ bids, asks }: WireSides): number {
  const levels = [...asks.slice(0, CHECKED_LEVELS), ...bids.slice(0, CHECKED_LEVELS)];
  const digits = levels.map(([price, size]) =>
    [price, size].map((text) => text.replace('.', '').replace(/^0+/, '')),
  );
  return crc32(digits.flat().join(''));
}
