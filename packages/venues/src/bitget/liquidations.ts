import type { Instrument, VenueLiquidation } from '@crosstape/core';
import { roundTo } from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
import { jsonReader, readLiquidations } from '../frame-reader.ts';
import {
  type Fields,
  readArray,
  readIntegerText,
  readObject,
  readPositiveDecimal,
  readText,
} from '../reading.ts';
import { type Feed, type Frame, type Known, Malformed } from '../venue.ts';
import { products } from './product.ts';
import { PONG } from './topic.ts';

/** The server cuts a connection that has sent nothing for two minutes [K]; its own advice is a ping every 30 s. */
const PING_EVERY_MS = 30_000;

/** A size is the quotient of two decimals: this rounds away the noise of the division, not the size. */
const SIZE_DECIMALS = 8;

/**
 * Liquidations of every contract, on the third version of the public socket:
 * ```json
 * → {"op":"subscribe","args":[{"instType":"usdt-futures","topic":"liquidation"}]}
 * ← {"event":"subscribe","arg":{"instType":"usdt-futures","topic":"liquidation"},"connId":"…"}
 * ← {"action":"update","arg":{"instType":"usdt-futures","topic":"liquidation"},"data":[{"symbol":"APEUSDT",
 *     "side":"buy","price":"0.1649","amount":"13.70319","ts":"1777358886549"}],"ts":1777358886601}
 * → ping  ← pong
 * ```
 * `side` is the position's: `buy` is a long that is liquidated, so the forced order sells [D, T]. `amount` is in USDT
 * [D], that of the contracts in USDC in that [K]: 13.70319 / 0.1649 is 83.1 APE, as round as every other sample [T]. One copy of the document says that all of
 * them come every 20 s or 10 000 rows [D]; readers of another say only the largest of each side and second [M].
 * They can be requested afterwards as well (`/api/v3/market/liquidations`), but that may come late, and readers do not
 * agree whether its amounts are dollars or coins [M]: it refills no gap here.
 * https://www.bitget.com/api-doc/uta/websocket/public/Liquidation-Channel
 */
export const liquidations: Feed = {
  name: 'liquidations',
  path: '/v3/ws/public',
  sockets: 1,
  isWhole: true,
  // Of hundreds of contracts one is liquidated more often than that, on any day [K].
  silentMaxMs: 60 * 60_000,
  isBursty: true,
  // All contracts of a product are one topic.
  topics: () => products.map(({ type }) => type.toLowerCase()),
  // Others send five at once [T].
  topicsPerFrame: 5,
  subscribe: (topics) => operation('subscribe', topics),
  unsubscribe: (topics) => operation('unsubscribe', topics),
  ping: { everyMs: PING_EVERY_MS, frame: 'ping' },
  open: (known) => jsonReader((frame) => parseFrame(frame, known), PONG),
};

function operation(op: string, types: readonly string[]): string {
  return JSON.stringify({ op, args: types.map((instType) => ({ instType, topic: 'liquidation' })) });
}

function parseFrame(frame: Fields, known: () => Known): Frame {
  if (frame.event === 'error')
    return {
      kind: 'refused',
      why: `the venue says ${String(frame.code)}: ${String(frame.msg)}`,
      isReply: true,
    };
  const { instType, topic } = readObject(frame.arg, 'arg');
  if (topic !== 'liquidation') return { kind: 'ignored', why: `topic ${String(topic)}` };
  if (frame.event === 'subscribe')
    return { kind: 'subscribed', topics: [readText(instType, 'arg.instType').toLowerCase()] };
  if (typeof frame.event === 'string') return { kind: 'ignored', why: `event ${frame.event}` };
  const action = readText(frame.action, 'action');
  if (action !== 'update' && action !== 'snapshot')
    throw new Malformed(`action is neither update nor snapshot: ${action}`);
  const instruments = bySymbol(known().instruments);
  const rows = readArray(frame.data, 'data');
  return readLiquidations(rows, (row) => parseLiquidation(row, instruments), action === 'snapshot');
}

function parseLiquidation(
  row: unknown,
  listed: ReadonlyMap<string, Instrument>,
): VenueLiquidation | undefined {
  const liquidation = readObject(row, 'liquidation');
  const symbol = readText(liquidation.symbol, 'liquidation.symbol');
  const instrument = listed.get(symbol);
  if (!instrument) return undefined;
  if (liquidation.side !== 'buy' && liquidation.side !== 'sell')
    throw new Malformed(`${symbol} side is neither buy nor sell`);
  const price = readPositiveDecimal(liquidation.price, `${symbol} price`);
  const amountUsd = readPositiveDecimal(liquidation.amount, `${symbol} amount`);
  return {
    coin: instrument.coin,
    symbol,
    side: liquidation.side === 'buy' ? 'sell' : 'buy',
    price,
    size: roundTo(amountUsd / price, SIZE_DECIMALS),
    venueTs: readIntegerText(liquidation.ts, `${symbol} ts`),
  };
}
