import type { MarketTrade } from '@crosstape/core';
import { jsonReader, readMarketTrades } from '../frame-reader.ts';
import { pastTrades } from '../past-trades.ts';
import {
  type Fields,
  readArray,
  readExact,
  readExactNumber,
  readInteger,
  readIsoTime,
  readObject,
  readPositiveNumber,
  readText,
} from '../reading.ts';
import { tradeFeed } from '../trade-feed.ts';
import { type Frame, Malformed, type TradeFeed, type TradeGap, type VenueRequest } from '../venue.ts';
import { readAnswer } from './answer.ts';

const CHANNEL = 'trade';
/** A connection is closed after a minute without a message [D]; the ping is answered with a pong. */
const PING_EVERY_MS = 20_000;
const ROWS_MAX = 1000;
const YEAR_MS = 365 * 24 * 3_600_000;

/**
 * Every fill, on the second version of the sockets [D]:
 * ```json
 * → {"method":"subscribe","params":{"channel":"trade","symbol":["BTC/USD","ETH/USD"],"snapshot":true}}  one answer per pair:
 * ← {"method":"subscribe","result":{"channel":"trade","snapshot":true,"symbol":"BTC/USD"},"success":true,
 *    "time_in":"2023-09-25T09:21:10.428340Z","time_out":"2023-09-25T09:21:10.428375Z"}
 * ← {"channel":"trade","type":"update","data":[{"symbol":"BTC/USD","side":"sell","price":26319.9,"qty":0.5,
 *    "ord_type":"market","trade_id":4665906,"timestamp":"2023-09-25T07:49:37.708706Z"}]}
 * ```
 * The snapshot has the last 50 trades [D]. `trade_id` is "a sequence number, unique per book" [D]: it counts. `side` is
 * the taker's. Figures are JSON numbers.
 * https://docs.kraken.com/exchange/api-reference/spot-websocket-v2/trade
 */
export const marketTrades: TradeFeed = {
  ...tradeFeed,
  path: '/v2',
  ids: { counted: 'tid' },
  grouping: 'time',
  backfillMax: 50,
  silentMaxMs: 5 * 60_000,
  topics: (listed) => listed.map(({ symbol, streamSymbol = symbol }) => streamSymbol),
  subscribe: (symbols) => request('subscribe', { symbol: symbols, snapshot: true }),
  unsubscribe: (symbols) => request('unsubscribe', { symbol: symbols }),
  ping: { everyMs: PING_EVERY_MS, frame: '{"method":"ping"}' },
  past: publicTrades(),
  open: () => jsonReader(parseFrame),
};

function request(method: string, params: Fields): string {
  return JSON.stringify({ method, params: { channel: CHANNEL, ...params } });
}

function parseFrame(frame: Fields): Frame {
  if (frame.success === false)
    return { kind: 'refused', why: `the venue says: ${String(frame.error)}`, isReply: true };
  if (frame.channel === CHANNEL) {
    const rows = readArray(frame.data, 'data');
    const isBackfill = frame.type === 'snapshot';
    if (isBackfill && rows.length === 0) return { kind: 'ignored', why: 'an empty snapshot' };
    const read = readMarketTrades(rows, parseTrade, isBackfill);
    return isBackfill ? { ...read, trades: read.trades.toSorted((a, b) => a.tid - b.tid) } : read;
  }
  if (frame.channel === 'heartbeat' || frame.method === 'pong') return { kind: 'heartbeat' };
  if (frame.method === 'subscribe') {
    const topic = readText(readObject(frame.result, 'result').symbol, 'result.symbol');
    return { kind: 'subscribed', topics: [topic] };
  }
  return { kind: 'ignored', why: `channel ${String(frame.channel)}, method ${String(frame.method)}` };
}

function parseTrade(row: unknown): MarketTrade {
  const { symbol: pair, side, price, qty, trade_id, timestamp } = readObject(row, 'trade');
  const symbol = readText(pair, 'trade.symbol');
  if (side !== 'buy' && side !== 'sell') throw new Malformed(`${symbol} side is neither buy nor sell`);
  return {
    symbol,
    side,
    price: readExactNumber(price, 'price', symbol),
    size: readExactNumber(qty, 'qty', symbol),
    venueTs: readIsoTime(timestamp, 'timestamp', symbol),
    tid: readInteger(trade_id, 'trade_id', symbol),
  };
}

/**
 * Fills after a time in nanoseconds, oldest first: price, size, time in seconds, side, type, misc, id [D]:
 * ```json
 * {"error":[],"result":{"XXBTZUSD":[["30243.40000","0.34507674",1688669597.8277369,"b","m","",61044952]],
 *   "last":"1688671969993150842"}}
 * ```
 * https://docs.kraken.com/api/docs/rest-api/get-recent-trades
 */
function publicTrades(): NonNullable<TradeFeed['past']> {
  const page = ({ market: { symbol, restSymbol = symbol } }: TradeGap, sinceMs: number): VenueRequest => ({
    method: 'GET',
    path: `/0/public/Trades?pair=${encodeURIComponent(restSymbol)}&since=${sinceMs}000000&count=${ROWS_MAX}`,
  });
  return pastTrades({
    weight: 1,
    reachMs: YEAR_MS,
    rowsMax: ROWS_MAX,
    order: 'oldestFirst',
    request: (gap) => page(gap, gap.afterMs - 1),
    rows: (body) => {
      const lists = Object.entries(readAnswer(body)).filter(([name]) => name !== 'last');
      return readArray(lists[0]?.[1], 'result');
    },
    trade: (row, symbol) => parseRow(readArray(row, 'trade'), symbol),
    next: ({ trade }, gap) => page(gap, trade.venueTs - 1),
  });
}

function parseRow([price, size, seconds, side, , , id]: readonly unknown[], symbol: string): MarketTrade {
  if (side !== 'b' && side !== 's') throw new Malformed(`${symbol} side is neither b nor s`);
  return {
    symbol,
    side: side === 'b' ? 'buy' : 'sell',
    price: readExact(price, 'price', symbol),
    size: readExact(size, 'size', symbol),
    // A thousandth of a ms against the noise of floats.
    venueTs: Math.floor(readPositiveNumber(seconds, 'time', symbol) * 1000 + 0.001),
    tid: readInteger(id, 'id', symbol),
  };
}
