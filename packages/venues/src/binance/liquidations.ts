import type { VenueLiquidation } from '@crosstape/core';
import { jsonReader } from '../frame-reader.ts';
import {
  type Fields,
  notNegative,
  readDecimal,
  readInteger,
  readObject,
  readPositiveDecimal,
  readText,
} from '../reading.ts';
import { type Feed, type Frame, type Known, Malformed } from '../venue.ts';

const ALL = '!forceOrder@arr';
const SUBSCRIBE_ID = 1;
const UNSUBSCRIBE_ID = 2;
/** The server pings every 3 minutes itself, and lets a client send 10 messages a second, pings among them [D]. */
const PING_EVERY_MS = 30_000;

/**
 * Forced orders of all contracts, one topic. Only the latest of each contract and second is sent [D], so sums are a
 * lower bound.
 * ```json
 * → {"method":"SUBSCRIBE","params":["!forceOrder@arr"],"id":1}  ← {"result":null,"id":1}
 * ← {"e":"forceOrder","E":1568014460893,"o":{"s":"BTCUSDT","S":"SELL","o":"LIMIT","f":"IOC","q":"0.014","p":"9910",
 *     "ap":"9910","X":"FILLED","l":"0.014","z":"0.014","T":1568014460893}}
 * ```
 * An object each, whatever `@arr` says. `S` is the side of the order; what was filled is `z` at `ap` on average [D].
 * Coin-margined contracts come on the same stream (`"st":2`) [D]; their symbols are not among ours. The path matters:
 * any other acknowledges and stays silent [D].
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/websocket-market-streams/All-Market-Liquidation-Order-Streams
 */
export const liquidations: Feed = {
  name: 'liquidations',
  path: '/market/ws',
  sockets: 1,
  isWhole: true,
  // Of hundreds of contracts one is liquidated more often than that, on any day [K].
  silentMaxMs: 30 * 60_000,
  isBursty: true,
  topics: () => [ALL],
  subscribe: (topics) => JSON.stringify({ method: 'SUBSCRIBE', params: topics, id: SUBSCRIBE_ID }),
  unsubscribe: (topics) => JSON.stringify({ method: 'UNSUBSCRIBE', params: topics, id: UNSUBSCRIBE_ID }),
  ping: { everyMs: PING_EVERY_MS },
  open: (known) => jsonReader((frame) => parseFrame(frame, known)),
};

function parseFrame(frame: Fields, known: () => Known): Frame {
  if (frame.e === 'forceOrder') {
    return { kind: 'liquidations', liquidations: parseOrder(frame.o, known()), isBackfill: false };
  }
  const error = frame.error ?? (frame.code === undefined ? undefined : frame);
  if (error !== undefined)
    return { kind: 'refused', why: `the venue says: ${JSON.stringify(error)}`, isReply: true };
  if (frame.result === null) {
    return frame.id === SUBSCRIBE_ID
      ? { kind: 'subscribed', topics: [ALL] }
      : { kind: 'ignored', why: 'unsubscribed' };
  }
  return { kind: 'ignored', why: `event ${String(frame.e)}` };
}

function parseOrder(value: unknown, { instruments = [] }: Known): readonly VenueLiquidation[] {
  const order = readObject(value, 'o');
  const symbol = readText(order.s, 'o.s');
  const instrument = instruments.find((one) => one.symbol === symbol);
  if (!instrument) return [];
  if (order.S !== 'BUY' && order.S !== 'SELL') throw new Malformed(`${symbol} o.S is neither BUY nor SELL`);
  const size = notNegative(readDecimal(order.z, `${symbol} o.z`), `${symbol} o.z`);
  // An order without a fill yet has closed nothing.
  if (size === 0) return [];
  return [
    {
      coin: instrument.coin,
      symbol,
      side: order.S === 'BUY' ? 'buy' : 'sell',
      price: readPositiveDecimal(order.ap, `${symbol} o.ap`),
      size,
      venueTs: readInteger(order.T, `${symbol} o.T`),
    },
  ];
}
