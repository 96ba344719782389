import type { VenueLiquidation } from '@crosstape/core';
import { jsonReader, readLiquidations } from '../frame-reader.ts';
import {
  type Fields,
  readArray,
  readInteger,
  readObject,
  readPositiveDecimal,
  readText,
} from '../reading.ts';
import { type Feed, type Frame, type Known, Malformed } from '../venue.ts';
import { operation } from './operation.ts';

/** "Every 20 seconds" is the venue's advice; it cuts off after ten silent minutes [D]. */
const PING_EVERY_MS = 20_000;
const TOPIC = 'allLiquidation.';
const ALREADY_SUBSCRIBED = /^error:already subscribed,topic:allLiquidation\.(.+)$/;

/**
 * Every forced closing, one subscription per contract, pushed at most every 500 ms [D]:
 * ```json
 * → {"op":"subscribe","args":["allLiquidation.ROSEUSDT","allLiquidation.BTCUSDT"],"req_id":"ROSEUSDT,BTCUSDT"}
 * ← {"success":true,"ret_msg":"","conn_id":"3cd84cb1-…","req_id":"ROSEUSDT,BTCUSDT","op":"subscribe"}
 * ← {"topic":"allLiquidation.ROSEUSDT","type":"snapshot","ts":1739502303204,
 *    "data":[{"T":1739502302929,"s":"ROSEUSDT","S":"Sell","v":"20000","p":"0.04499"}]}
 * → {"op":"ping"}  ← {"success":true,"ret_msg":"pong","conn_id":"…","req_id":"","op":"ping"}
 * ```
 * https://bybit-exchange.github.io/docs/v5/websocket/public/all-liquidation
 */
export const liquidations: Feed = {
  name: 'liquidations',
  path: '/v5/public/linear',
  sockets: 1,
  isWhole: true,
  // Of hundreds of contracts one is liquidated more often than that, on any day [K].
  silentMaxMs: 60 * 60_000,
  isBursty: true,
  // The topics of one connection may have 21,000 characters together [D], the longest name about 40.
  topicsPerSocket: 500,
  // A request of futures may have any number of topics [D]. Its id lists them: one of 14 topics comes back whole [L].
  topicsPerFrame: 20,
  topics: (instruments) => instruments.map((instrument) => instrument.symbol),
  subscribe: (symbols) => operation('subscribe', TOPIC, symbols),
  unsubscribe: (symbols) => operation('unsubscribe', TOPIC, symbols),
  ping: { everyMs: PING_EVERY_MS, frame: '{"op":"ping"}' },
  open: (known) => jsonReader((frame) => parseFrame(frame, known)),
};

function parseFrame(frame: Fields, known: () => Known): Frame {
  if (frame.success === false) return readRefusal(frame);
  switch (frame.op) {
    case undefined:
      break;
    // Answered with `pong` on the venue's other sockets [D].
    case 'ping':
    case 'pong':
      return { kind: 'heartbeat' };
    case 'subscribe':
      return { kind: 'subscribed', topics: readText(frame.req_id, 'req_id').split(',') };
    default:
      return { kind: 'ignored', why: `op ${String(frame.op)}` };
  }
  const topic = readText(frame.topic, 'topic');
  if (!topic.startsWith(TOPIC)) return { kind: 'ignored', why: `topic ${topic}` };
  return readLiquidations(readArray(frame.data, 'data'), (row) => parseLiquidation(row, known()));
}

/**
 * A subscription that is sent again because its confirmation was lost is answered with `already subscribed`, which
 * confirms it [M]. The other topics of the same request are not subscribed to [M].
 */
function readRefusal({ ret_msg: message }: Fields): Frame {
  const topic = ALREADY_SUBSCRIBED.exec(String(message))?.[1];
  return topic === undefined
    ? { kind: 'refused', why: `the venue says: ${String(message)}`, isReply: true }
    : { kind: 'subscribed', topics: [topic] };
}

/**
 * `S` is the side of the position: `Buy` when a long was liquidated, whose forced order sells [D, T]; one collector
 * says that it is the taker's [M]. `v` is what was executed, in coins; `p` the bankruptcy price.
 */
function parseLiquidation(row: unknown, { instruments = [] }: Known): VenueLiquidation | undefined {
  const { s, S, T, v, p } = readObject(row, 'liquidation');
  const symbol = readText(s, 'liquidation.s');
  const instrument = instruments.find((one) => one.symbol === symbol);
  if (!instrument) return undefined;
  if (S !== 'Buy' && S !== 'Sell') throw new Malformed(`${symbol} liquidation.S is neither Buy nor Sell`);
  return {
    coin: instrument.coin,
    symbol,
    side: S === 'Buy' ? 'sell' : 'buy',
    price: readPositiveDecimal(p, `${symbol} liquidation.p`),
    size: readPositiveDecimal(v, `${symbol} liquidation.v`),
    venueTs: readInteger(T, `${symbol} liquidation.T`),
  };
}
