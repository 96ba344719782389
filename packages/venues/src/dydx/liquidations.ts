import type { VenueLiquidation } from '@crosstape/core';
import { jsonReader, readLiquidations } from '../frame-reader.ts';
import { type Fields, readIsoTime, readObject, readPositiveDecimal, readText } from '../reading.ts';
import { type Feed, type Frame, type Known, Malformed } from '../venue.ts';
import { readTradesChannel, type TradeRows } from './trades-channel.ts';

/**
 * The trades of every market, those of type `LIQUIDATED` are forced [D, T]:
 * ```json
 * ← {"type":"connected","connection_id":"004a1efa-…","message_id":0}
 * → {"type":"subscribe","channel":"v4_trades","id":"BTC-USD","batched":true}
 * ← {"type":"subscribed","connection_id":"…","message_id":1,"channel":"v4_trades","id":"BTC-USD",
 *    "contents":{"trades":[{"id":"03f89a55…","side":"BUY","size":"0.0001","price":"89942","type":"LIMIT",
 *      "createdAt":"2025-12-08T16:11:30.590Z","createdAtHeight":"66624085"}]}}
 * ← {"type":"channel_batch_data","connection_id":"…","message_id":7,"id":"BTC-USD","channel":"v4_trades",
 *    "version":"2.1.0","contents":[{"trades":[{"id":"0165e617…","size":"0.0001","price":"60392","side":"BUY",
 *      "createdAt":"2024-08-23T00:00:57.627Z","type":"LIQUIDATED"}]}]}
 * ```
 * The answer to a subscription carries the newest trades: a back-fill. Batches come every 250 ms; unbatched, the type
 * is `channel_data` and `contents` one object. A connection takes 32 ids of a channel [D].
 * https://docs.dydx.xyz/indexer-client/websockets#trades
 */
export const liquidations: Feed = {
  name: 'liquidations',
  path: '/v4/ws',
  sockets: 1,
  isWhole: true,
  // Some connections carry only markets without a trade for hours: no silence is too long.
  topicsPerSocket: 32,
  topics: (instruments) => instruments.map((instrument) => instrument.symbol),
  subscribe: ([symbol = '']) => JSON.stringify({ type: 'subscribe', ...channelOf(symbol), batched: true }),
  unsubscribe: ([symbol = '']) => JSON.stringify({ type: 'unsubscribe', ...channelOf(symbol) }),
  // The server pings every 30 s itself and cuts off who does not answer within 10 [D].
  ping: { everyMs: 20_000 },
  open: (known) => jsonReader((frame) => readTradesChannel(frame, (trades) => readForced(trades, known))),
};

function channelOf(symbol: string): { readonly channel: string; readonly id: string } {
  return { channel: 'v4_trades', id: symbol };
}

/** The liquidations among the trades; most often there are none. */
function readForced({ symbol, rows, isAnswer }: TradeRows, known: () => Known): Frame {
  const coin = known().instruments?.find((one) => one.symbol === symbol)?.coin;
  const read = (row: unknown): VenueLiquidation | undefined => {
    const trade = readObject(row, `${symbol} trade`);
    const isForced = readText(trade.type, `${symbol} trade.type`) === 'LIQUIDATED';
    return isForced && coin !== undefined ? parseLiquidation(trade, { coin, symbol }) : undefined;
  };
  return { ...readLiquidations(rows, read, isAnswer), ...(isAnswer && { topics: [symbol] }) };
}

/** `side` is the taker's, and the taker is the forced order [T]. */
function parseLiquidation(
  { side, price, size, createdAt, id }: Fields,
  { coin, symbol }: { readonly coin: string; readonly symbol: string },
): VenueLiquidation {
  if (side !== 'BUY' && side !== 'SELL') throw new Malformed(`${symbol} trade.side is neither BUY nor SELL`);
  return {
    coin,
    symbol,
    side: side === 'BUY' ? 'buy' : 'sell',
    price: readPositiveDecimal(price, `${symbol} trade.price`),
    size: readPositiveDecimal(size, `${symbol} trade.size`),
    venueTs: readIsoTime(createdAt, `${symbol} trade.createdAt`),
    ...(typeof id === 'string' && { id }),
  };
}
