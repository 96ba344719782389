import { type MarketTrade, WEEK_MS } from '@crosstape/core';
import { jsonReader, readMarketTrades } from '../frame-reader.ts';
import { pastTrades } from '../past-trades.ts';
import {
  type Fields,
  readExact,
  readExactNumber,
  readInteger,
  readObject,
  readPositiveNumber,
  readText,
  wrong,
} from '../reading.ts';
import { tradeFeed } from '../trade-feed.ts';
import type { Frame, TradeFeed, TradeGap, VenueRequest } from '../venue.ts';
import { readList, SIZE_HEADERS } from './answer.ts';
import { PING, request } from './socket.ts';

const CHANNEL = 'futures.trades';
/** A time below this is in seconds: as milliseconds it would lie in 1973. */
const MILLISECONDS_FROM = 1e11;
const ROWS_MAX = 1000;

/**
 * Every fill, several contracts in one request [D]:
 * ```json
 * → {"time":123456,"channel":"futures.trades","event":"subscribe","payload":["BTC_USDT","ETH_USDT"]}
 * ← {"time":1545459681,"channel":"futures.trades","event":"subscribe","error":null,"result":{"status":"success"}}
 * ← {"time":1614556850,"channel":"futures.trades","event":"update","error":null,"result":[{"size":"-108","id":13654526,
 *    "create_time":1614556850,"create_time_ms":1614556850860,"price":"45300","contract":"BTC_USDT"}]}
 * → {"time":123456,"channel":"futures.ping"}  ← {"time":1545404023,"channel":"futures.pong","event":"","result":null}
 * ```
 * `size` counts contracts and is negative when the taker sold; a text with the size header, else a number [D, T]. Ids of
 * a contract rise by one [T: rows of a frame]; that they do from frame to frame is [K]. Rows with `is_internal`, where the
 * insurance fund took a liquidated order over, are numbered among the others and recorded like them [D]. There is no
 * back-fill [T].
 * https://www.gate.com/docs/developers/futures/ws/en/#trades-channel
 */
export const marketTrades: TradeFeed = {
  ...tradeFeed,
  path: '/v4/ws/usdt',
  headers: SIZE_HEADERS,
  ids: { counted: 'tid' },
  grouping: 'time',
  // No limit is published.
  topicsPerFrame: 20,
  silentMaxMs: 5 * 60_000,
  subscribe: (contracts) => request(CHANNEL, { event: 'subscribe', payload: contracts }),
  unsubscribe: (contracts) => request(CHANNEL, { event: 'unsubscribe', payload: contracts }),
  ping: PING,
  past: historyTrades(),
  open: () => jsonReader(parseFrame),
};

function parseFrame(frame: Fields): Frame {
  if (frame.error !== null && frame.error !== undefined) {
    const { code, message } = readObject(frame.error, 'error');
    return { kind: 'refused', why: `the venue says ${String(code)}: ${String(message)}`, isReply: true };
  }
  if (frame.channel === 'futures.pong') return { kind: 'heartbeat' };
  if (frame.channel !== CHANNEL) return { kind: 'ignored', why: `channel ${String(frame.channel)}` };
  if (frame.event === 'update') {
    // One trade may come without the array around it, as one liquidation does [K].
    const rows: readonly unknown[] = Array.isArray(frame.result) ? frame.result : [frame.result];
    return readMarketTrades(rows, (row) => parseTrade(row));
  }
  if (frame.event !== 'subscribe') return { kind: 'ignored', why: `event ${String(frame.event)}` };
  // Newer answers repeat what was requested [K].
  const payload: readonly unknown[] = Array.isArray(frame.payload) ? frame.payload : [];
  return { kind: 'subscribed', topics: payload.filter((one): one is string => typeof one === 'string') };
}

function parseTrade(row: unknown, requested?: string): MarketTrade {
  const { contract, size, price, id, create_time, create_time_ms } = readObject(row, 'trade');
  const symbol = readText(contract ?? requested, 'trade.contract');
  const isSell = typeof size === 'string' ? size.startsWith('-') : Number(size) < 0;
  return {
    symbol,
    side: isSell ? 'sell' : 'buy',
    price: readExact(price, 'price', symbol),
    size: readSize(size, isSell, symbol),
    venueTs: readTime(create_time_ms ?? create_time, symbol),
    tid: readInteger(id, 'id', symbol),
  };
}

function readSize(value: unknown, isSell: boolean, symbol: string): number {
  if (typeof value === 'string') return readExact(isSell ? value.slice(1) : value, 'size', symbol);
  if (typeof value !== 'number') throw wrong(value, 'size', 'an amount', symbol);
  return readExactNumber(Math.abs(value), 'size', symbol);
}

function readTime(value: unknown, symbol: string): number {
  const time = readPositiveNumber(value, 'create_time', symbol);
  return Math.round(time < MILLISECONDS_FROM ? time * 1000 : time);
}

/**
 * Fills between two times in seconds, newest first [D]:
 * ```json
 * [{"id":121234231,"create_time":1514764800,"create_time_ms":1514764800.123,"contract":"BTC_USDT","size":"-100",
 *   "price":"100.123"}]
 * ```
 * Both times are in seconds here. Pages continue by `offset`. How far back it answers is not published [K].
 * https://www.gate.com/docs/developers/apiv4/en/#futures-market-transaction-records
 */
function historyTrades(): NonNullable<TradeFeed['past']> {
  const page = ({ market: { symbol }, afterMs, beforeMs }: TradeGap, offset: number): VenueRequest => {
    const span = `from=${Math.floor(afterMs / 1000)}&to=${Math.floor(beforeMs / 1000) + 1}`;
    return {
      method: 'GET',
      path: `/api/v4/futures/usdt/trades?contract=${symbol}&${span}&limit=${ROWS_MAX}&offset=${offset}`,
      headers: SIZE_HEADERS,
    };
  };
  return pastTrades({
    weight: 1,
    reachMs: WEEK_MS,
    rowsMax: ROWS_MAX,
    order: 'newestFirst',
    request: (gap) => page(gap, 0),
    rows: readList,
    trade: parseTrade,
    next: (_, gap, path) => page(gap, Number(/offset=(\d+)/.exec(path)?.[1] ?? 0) + ROWS_MAX),
  });
}
