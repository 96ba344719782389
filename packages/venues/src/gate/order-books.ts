import type { BookLevel } from '@crosstape/core';
import { bookFeed, levelOf, readNamedLevels } from '../book-feed.ts';
import { jsonReader } from '../frame-reader.ts';
import { type Fields, readArray, readInteger, readObject, readText } from '../reading.ts';
import { type BookFeed, type Frame, Malformed } from '../venue.ts';
import { SIZE_HEADERS } from './answer.ts';
import { PING, request } from './socket.ts';

const CHANNEL = 'futures.order_book';
/** Levels a side, and no price grouping. */
const DEPTH = ['20', '0'];

/**
 * The best 20 levels a side, whole (`all`) and then what changed (`update`):
 * ```json
 * → {"time":1541659086,"channel":"futures.order_book","event":"subscribe","payload":["BTC_USDT","20","0"]}
 * ← {"time":1541500161,"channel":"futures.order_book","event":"all","result":{"t":1541500161123,"contract":"BTC_USDT",
 *    "id":93973511,"asks":[{"p":"97.1","s":2245}],"bids":[{"p":"97.0","s":2201}]}}
 * ← {"time":1541500161,"channel":"futures.order_book","event":"update","result":[
 *    {"p":"97.1","s":-20,"c":"BTC_USDT","id":93973512},{"p":"96.9","s":0,"c":"BTC_USDT","id":93973513}]}
 * ```
 * Shape [D, T]. In an update a positive size is a bid, a negative one an ask, and 0 removes the price [T]: a price
 * has one size, so each row also removes what the other side had there. Sizes count contracts. Ids rise, and are not known
 * to have no gaps [K]: a lost update shows by a book that is crossed, or by the next whole book. One contract for each
 * request [D].
 * https://www.gate.com/docs/developers/futures/ws/en/#order-book-api
 */
export const orderBooks: BookFeed = {
  ...bookFeed,
  path: '/v4/ws/usdt',
  headers: SIZE_HEADERS,
  topicsPerFrame: 1,
  subscribe: ([contract]) => request(CHANNEL, { event: 'subscribe', payload: [contract, ...DEPTH] }),
  unsubscribe: ([contract]) => request(CHANNEL, { event: 'unsubscribe', payload: [contract, ...DEPTH] }),
  ping: PING,
  open: () => jsonReader(parseFrame),
};

function parseFrame(frame: Fields): Frame {
  if (frame.error !== null && frame.error !== undefined) {
    const { code, message } = readObject(frame.error, 'error');
    return { kind: 'refused', why: `the venue says ${String(code)}: ${String(message)}`, isReply: true };
  }
  if (frame.channel === 'futures.pong') return { kind: 'heartbeat' };
  if (frame.channel !== CHANNEL) return { kind: 'ignored', why: `channel ${String(frame.channel)}` };
  switch (frame.event) {
    case 'all':
      return readWhole(readObject(frame.result, 'result'));
    case 'update':
      return readChanges(readArray(frame.result, 'result'));
    case 'subscribe':
      return { kind: 'subscribed', topics: [] };
    default:
      return { kind: 'ignored', why: `event ${String(frame.event)}` };
  }
}

function readWhole({ contract, t, bids, asks }: Fields): Frame {
  const symbol = readText(contract, 'contract');
  return {
    kind: 'bookChange',
    change: {
      symbol,
      isSnapshot: true,
      bids: readNamedLevels(bids, `${symbol} bids`, ['p', 's']),
      asks: readNamedLevels(asks, `${symbol} asks`, ['p', 's']),
      ...(t !== undefined && { venueTs: readInteger(t, `${symbol} t`) }),
    },
  };
}

function readChanges(rows: readonly unknown[]): Frame {
  const levels = rows.map((row) => {
    const { c, p, s } = readObject(row, 'level');
    const symbol = readText(c, 'level.c');
    const signed = typeof s === 'number' ? s : Number(s);
    return { symbol, signed, level: levelOf(p, Math.abs(signed), `${symbol} level`) };
  });
  const symbol = levels[0]?.symbol;
  if (symbol === undefined) throw new Malformed('an empty list of levels');
  if (levels.some((one) => one.symbol !== symbol)) throw new Malformed('levels of several contracts');
  return {
    kind: 'bookChange',
    change: {
      symbol,
      isSnapshot: false,
      bids: levels.map(({ signed, level }) => (signed > 0 ? level : without(level))),
      asks: levels.map(({ signed, level }) => (signed < 0 ? level : without(level))),
    },
  };
}

function without([price]: BookLevel): BookLevel {
  return [price, 0, 0];
}
