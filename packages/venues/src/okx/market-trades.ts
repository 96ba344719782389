import type { MarketTrade } from '@crosstape/core';
import { jsonReader, readMarketTrades } from '../frame-reader.ts';
import { pastTrades } from '../past-trades.ts';
import { readArray, readExact, readIntegerText, readObject } from '../reading.ts';
import { tradeFeed } from '../trade-feed.ts';
import { Malformed, type TradeFeed, type VenueRequest } from '../venue.ts';
import { readAnswer } from './answer.ts';
import { channelOperation, PING, PONG, readChannel } from './channel.ts';

const CHANNEL = 'trades';
const ROWS_MAX = 100;
const THREE_MONTHS_MS = 90 * 24 * 3_600_000;

/**
 * Trades of swaps and pairs alike [D]:
 * ```json
 * → {"op":"subscribe","args":[{"channel":"trades","instId":"BTC-USDT-SWAP"}]}
 * ← {"event":"subscribe","arg":{"channel":"trades","instId":"BTC-USDT-SWAP"},"connId":"a4d3ae55"}
 * ← {"arg":{"channel":"trades","instId":"BTC-USDT-SWAP"},"data":[{"instId":"BTC-USDT-SWAP","tradeId":"130639474",
 *    "px":"42219.9","sz":"12","side":"buy","ts":"1630048897897","count":"3","source":"0","seqId":1234}]}
 * ```
 * Fills of one taker order at one price are one trade: `count` of them, `tradeId` the last one's [D]. Ids of an
 * instrument rise by one from fill to fill: rows of REST are consecutive [C]. `side` is the taker's, `sz` counts
 * contracts of swaps and coins of pairs [D]. There is no back-fill [T]. A frame may have 64 KB, and a connection 480
 * requests an hour [D].
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-ws-trades-channel
 */
export const marketTrades: TradeFeed = {
  ...tradeFeed,
  path: '/ws/v5/public',
  ids: { counted: 'tid' },
  isAggregated: true,
  grouping: 'time',
  silentMaxMs: 5 * 60_000,
  subscribe: (ids) => channelOperation('subscribe', CHANNEL, ids),
  unsubscribe: (ids) => channelOperation('unsubscribe', CHANNEL, ids),
  ping: PING,
  past: historyTrades(),
  open: () =>
    jsonReader(
      (frame) =>
        readChannel(frame, CHANNEL, ({ data }, symbol) =>
          readMarketTrades(readArray(data, 'data'), (row) => parseTrade(row, symbol)),
        ),
      PONG,
    ),
};

function parseTrade(row: unknown, symbol: string): MarketTrade {
  const { px, sz, side, ts, tradeId, count } = readObject(row, 'trade');
  if (side !== 'buy' && side !== 'sell') throw new Malformed(`${symbol} side is neither buy nor sell`);
  const trade: MarketTrade = {
    symbol,
    side,
    price: readExact(px, 'px', symbol),
    size: readExact(sz, 'sz', symbol),
    venueTs: readIntegerText(ts, 'ts', symbol),
    tid: readIntegerText(tradeId, 'tradeId', symbol),
  };
  // Older frames have no count [T].
  if (count === undefined || count === null || count === '1') return trade;
  return { ...trade, count: readCount(count, trade) };
}

function readCount(value: unknown, { symbol, tid }: MarketTrade): number {
  const count = readIntegerText(value, 'count', symbol);
  if (count < 1 || count > tid) throw new Malformed(`${symbol} count is not that of trade ${tid}: ${count}`);
  return count;
}

/**
 * Fills of the last three months, one by one, newest first; `after` asks for those older than an id (`type=1`) or a time
 * (`type=2`) [D]:
 * ```json
 * {"code":"0","msg":"","data":[{"instId":"ETH-BTC","side":"sell","sz":"0.119501","px":"0.07065","tradeId":"15826757",
 *   "ts":"1621446178316"}]}
 * ```
 * 20 requests in 2 s, those about swaps and pairs together [D].
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-trades-history
 */
function historyTrades(): NonNullable<TradeFeed['past']> {
  const page = (instId: string, type: 1 | 2, after: number): VenueRequest => ({
    method: 'GET',
    path: `/api/v5/market/history-trades?instId=${instId}&type=${type}&after=${after}&limit=${ROWS_MAX}`,
  });
  return pastTrades({
    weight: 1,
    perMinute: 240,
    reachMs: THREE_MONTHS_MS,
    rowsMax: ROWS_MAX,
    order: 'newestFirst',
    request: ({ market: { symbol }, beforeTid, beforeMs }) =>
      beforeTid === undefined ? page(symbol, 2, beforeMs + 1) : page(symbol, 1, beforeTid + 1),
    rows: readAnswer,
    trade: parseTrade,
    next: ({ trade }, { market: { symbol } }) => page(symbol, 1, trade.tid),
  });
}
