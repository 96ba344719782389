import { hashedId, type MarketTrade } from '@crosstape/core';
import { jsonReader, readMarketTrades } from '../frame-reader.ts';
import { pastTrades } from '../past-trades.ts';
import { type Fields, readArray, readExact, readIsoTime, readObject, readText } from '../reading.ts';
import { tradeFeed } from '../trade-feed.ts';
import { type Frame, Malformed, type TradeFeed, type VenueRequest } from '../venue.ts';
import { readTradesChannel, type TradeRows } from './trades-channel.ts';

const ROWS_MAX = 100;
const MONTH_MS = 30 * 24 * 3_600_000;

/**
 * Every fill; the wire is that of `liquidations.ts`, which are among them [D, T]:
 * ```json
 * → {"type":"subscribe","channel":"v4_trades","id":"BTC-USD","batched":true}
 * ← {"type":"channel_batch_data","connection_id":"…","message_id":7,"id":"BTC-USD","channel":"v4_trades",
 *    "version":"2.1.0","contents":[{"trades":[{"id":"0165e6170000000200000002","size":"0.0001","price":"60392",
 *      "side":"BUY","createdAt":"2024-08-23T00:00:57.627Z","type":"LIMIT"}]}]}
 * ```
 * `side` is the taker's, `size` counts coins [D]. The answer to a subscription carries the newest trades: a back-fill of
 * about 1,000 [D, M: how many]. An id is the height of the block, the transaction and the event in it, 8 hex digits each:
 * it orders trades, and does not count them [K].
 * https://docs.dydx.xyz/indexer-client/websockets#trades
 */
export const marketTrades: TradeFeed = {
  ...tradeFeed,
  path: '/v4/ws',
  ids: {},
  grouping: 'time',
  backfillMax: 1_000,
  topicsPerSocket: 32,
  // Trades of quiet markets are hours apart, but not those of all that a connection carries.
  silentMaxMs: 30 * 60_000,
  isBursty: true,
  topicsPerFrame: 1,
  subscribe: ([id = '']) => JSON.stringify({ type: 'subscribe', channel: 'v4_trades', id, batched: true }),
  unsubscribe: ([id = '']) => JSON.stringify({ type: 'unsubscribe', channel: 'v4_trades', id }),
  // The server pings every 30 s itself and cuts off clients that do not answer within 10 [D].
  ping: { everyMs: 20_000 },
  past: historyTrades(),
  open: () => jsonReader((frame) => readTradesChannel(frame, readTrades)),
};

function readTrades({ symbol, rows, isAnswer }: TradeRows): Frame {
  if (!isAnswer) return readMarketTrades(rows.toSorted(byId), (row) => parseTrade(row, symbol));
  const topics = [symbol];
  // A market that never traded.
  if (rows.length === 0) return { kind: 'subscribed', topics };
  return { ...readMarketTrades(rows.toSorted(byId), (row) => parseTrade(row, symbol), true), topics };
}

/** Oldest first, whatever the order of the rows: one without an id is refused later. */
function byId(a: unknown, b: unknown): number {
  const [one, other] = [a, b].map((row) => String((row as Fields | null)?.id));
  return one === other ? 0 : String(one) < String(other) ? -1 : 1;
}

function parseTrade(row: unknown, symbol: string): MarketTrade {
  const { side, price, size, createdAt, id } = readObject(row, 'trade');
  if (side !== 'BUY' && side !== 'SELL') throw new Malformed(`${symbol} side is neither BUY nor SELL`);
  return {
    symbol,
    side: side === 'BUY' ? 'buy' : 'sell',
    price: readExact(price, 'price', symbol),
    size: readExact(size, 'size', symbol),
    venueTs: readIsoTime(createdAt, 'createdAt', symbol),
    tid: hashedId(readText(id, 'id', symbol)),
  };
}

/**
 * Fills up to a time or height, newest first [D, C]:
 * ```json
 * {"trades":[{"id":"03f89a550000000200000002","side":"BUY","size":"0.0001","price":"89942","type":"LIMIT",
 *   "createdAt":"2025-12-08T16:11:30.590Z","createdAtHeight":"66624085"}]}
 * ```
 * How far back it answers is not published [K].
 * https://docs.dydx.xyz/indexer-client/http#get-trades
 */
function historyTrades(): NonNullable<TradeFeed['past']> {
  const page = (symbol: string, bound: string): VenueRequest => ({
    method: 'GET',
    path: `/v4/trades/perpetualMarket/${symbol}?limit=${ROWS_MAX}&${bound}`,
  });
  return pastTrades({
    weight: 1,
    reachMs: MONTH_MS,
    rowsMax: ROWS_MAX,
    order: 'newestFirst',
    request: ({ market: { symbol }, beforeMs }) =>
      page(symbol, `createdBeforeOrAt=${new Date(beforeMs + 1).toISOString()}`),
    rows: (body) => readArray(readObject(body, 'answer').trades, 'trades'),
    trade: parseTrade,
    // A block never has as many fills as a page, so that the next page goes further back.
    next: ({ row }, { market: { symbol } }) =>
      page(symbol, `createdBeforeOrAtHeight=${readText((row as Fields).createdAtHeight, 'createdAtHeight')}`),
  });
}
