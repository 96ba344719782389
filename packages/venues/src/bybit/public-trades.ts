import { hashedId, type MarketTrade } from '@crosstape/core';
import { jsonReader, readMarketTrades } from '../frame-reader.ts';
import { pastTrades } from '../past-trades.ts';
import {
  type Fields,
  readArray,
  readExact,
  readInteger,
  readIntegerText,
  readObject,
  readText,
} from '../reading.ts';
import { tradeFeed } from '../trade-feed.ts';
import { type Frame, Malformed, type TradeFeed, type TradeRefill } from '../venue.ts';
import { readResult } from './answer.ts';
import { operation, PING, readReply } from './operation.ts';

const TOPIC = 'publicTrade.';

export interface Category {
  readonly name: 'linear' | 'spot';
  /** The most topics of one request. */
  readonly topicsPerFrame: number;
  /** The most trades that are answered. */
  readonly rowsMax: number;
}

/**
 * Every fill, one topic for each symbol [D]:
 * ```json
 * → {"op":"subscribe","args":["publicTrade.BTCUSDT"],"req_id":"BTCUSDT"}
 * ← {"success":true,"ret_msg":"","conn_id":"…","req_id":"BTCUSDT","op":"subscribe"}
 * ← {"topic":"publicTrade.BTCUSDT","type":"snapshot","ts":1672304486868,"data":[{"T":1672304486865,"s":"BTCUSDT",
 *    "S":"Buy","v":"0.001","p":"16578.50","L":"PlusTick","i":"20f43950-d8dd-5b31-9112-a178eb6023af","BT":false,
 *    "RPI":false,"seq":1783284617}]}
 * ```
 * `S` is the taker's. Every message is a `snapshot`, and none is a back-fill [D]. Ids of contracts are UUIDs; those of
 * pairs are 19 digits, which seem to count but are not promised to [T]: neither is counted. Fills with one `seq` come
 * from one step of the matching engine [D], which is taken as one order [K]. A message has at most 1024 trades [D].
 * https://bybit-exchange.github.io/docs/v5/websocket/public/trade
 */
export function publicTrades(category: Category): TradeFeed {
  return {
    ...tradeFeed,
    path: `/v5/public/${category.name}`,
    ids: {},
    grouping: 'order',
    // The topics of one connection may have 21,000 characters together [D], the longest name about 40.
    topicsPerSocket: 500,
    topicsPerFrame: category.topicsPerFrame,
    refusesWholeFrames: true,
    silentMaxMs: 5 * 60_000,
    subscribe: (symbols) => operation('subscribe', TOPIC, symbols),
    unsubscribe: (symbols) => operation('unsubscribe', TOPIC, symbols),
    ping: PING,
    past: recentTrades(category),
    open: () => jsonReader(parseFrame),
  };
}

function parseFrame(frame: Fields): Frame {
  if (typeof frame.topic !== 'string') return readReply(frame, TOPIC);
  return frame.topic.startsWith(TOPIC)
    ? readMarketTrades(readArray(frame.data, 'data'), parseTrade)
    : { kind: 'ignored', why: `topic ${frame.topic}` };
}

function parseTrade(row: unknown): MarketTrade {
  const { s, S, p, v, T, i, seq } = readObject(row, 'trade');
  const symbol = readText(s, 'trade.s');
  return tradeOf({ symbol, side: S, price: p, size: v, id: i, seq }, readInteger(T, 'T', symbol));
}

function tradeOf({ symbol: s, side, price, size, id, seq }: Fields, venueTs: number): MarketTrade {
  const symbol = s as string;
  if (side !== 'Buy' && side !== 'Sell') throw new Malformed(`${symbol} side is neither Buy nor Sell`);
  return {
    symbol,
    side: side === 'Buy' ? 'buy' : 'sell',
    price: readExact(price, 'price', symbol),
    size: readExact(size, 'size', symbol),
    venueTs,
    tid: hashedId(readText(id, 'id', symbol)),
    order: typeof seq === 'number' || typeof seq === 'string' ? String(seq) : undefined,
  };
}

/**
 * The newest trades, and no others [D]:
 * ```json
 * {"retCode":0,"retMsg":"OK","result":{"category":"linear","list":[{"execId":"2100000000007764263","symbol":"BTCUSDT",
 *   "price":"16618.49","size":"0.00012","side":"Buy","time":"1672052955758","isBlockTrade":false,"isRPITrade":false,
 *   "seq":"123456"}]},"retExtInfo":{},"time":1672053054358}
 * ```
 * That they come newest first [K].
 * https://bybit-exchange.github.io/docs/v5/market/recent-trade
 */
function recentTrades({ name, rowsMax }: Category): TradeRefill {
  return pastTrades({
    weight: 1,
    // Busy symbols fill an answer within a minute, quiet ones never.
    reachMs: 24 * 3_600_000,
    rowsMax,
    isNewestOnly: true,
    order: 'newestFirst',
    request: ({ market: { symbol } }) => ({
      method: 'GET',
      path: `/v5/market/recent-trade?category=${name}&symbol=${symbol}&limit=${rowsMax}`,
    }),
    rows: (body) => readArray(readResult(body).list, 'list'),
    trade: (row, symbol) => {
      const { price, size, side, time, execId: id, seq } = readObject(row, 'trade');
      return tradeOf({ symbol, side, price, size, id, seq }, readIntegerText(time, 'time', symbol));
    },
  });
}
