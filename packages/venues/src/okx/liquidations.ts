import { bySymbol } from '../by-symbol.ts';
import { frameReader, readLiquidations } from '../frame-reader.ts';
import { readArray, readObject, readText } from '../reading.ts';
import type { Feed, Frame, Known } from '../venue.ts';
import { parseOrder, readOrders } from './liquidation-rows.ts';
import { pastLiquidations } from './past-liquidations.ts';

const CHANNEL = 'liquidation-orders';
/** One topic covers all swaps. */
const TOPIC = 'SWAP';
/** The venue drops a connection on which nothing was said for 30 s [C, M]. */
const PING_EVERY_MS = 20_000;

/**
 * The forced orders of every swap:
 * ```json
 * → {"op":"subscribe","args":[{"channel":"liquidation-orders","instType":"SWAP"}]}
 * ← {"event":"subscribe","arg":{"channel":"liquidation-orders","instType":"SWAP"},"connId":"a4d3ae55"}
 * ← {"arg":{"channel":"liquidation-orders","instType":"SWAP"},"data":[{"details":[{"bkLoss":"0","bkPx":"0.007831",
 *     "ccy":"","posSide":"short","side":"buy","sz":"13","ts":"1692266434010"}],"instFamily":"IOST-USDT",
 *     "instId":"IOST-USDT-SWAP","instType":"SWAP","uly":"IOST-USDT"}]}
 * → ping  ← pong
 * ```
 * `side` is the order's, `sz` is in contracts, and the price is that of bankruptcy [D]. At most one order per contract
 * and second is sent, so this is a lower bound [D]. That the first message after a subscription is a back-fill [T].
 * https://www.okx.com/docs-v5/en/#public-data-websocket-liquidation-orders-channel
 */
export const liquidations: Feed = {
  name: 'liquidations',
  path: '/ws/v5/public',
  sockets: 1,
  isWhole: true,
  // Of hundreds of contracts one is liquidated more often than that, on any day [K].
  silentMaxMs: 30 * 60_000,
  isBursty: true,
  topics: () => [TOPIC],
  subscribe: (topics) => operation('subscribe', topics),
  unsubscribe: (topics) => operation('unsubscribe', topics),
  ping: { everyMs: PING_EVERY_MS, frame: 'ping' },
  refill: pastLiquidations,
  open(known) {
    const state = { isBackfillDue: true };
    return frameReader((text) => parseFrame(text, known, state));
  },
};

function operation(op: 'subscribe' | 'unsubscribe', types: readonly string[]): string {
  return JSON.stringify({ op, args: types.map((instType) => ({ channel: CHANNEL, instType })) });
}

function parseFrame(text: string, known: () => Known, state: { isBackfillDue: boolean }): Frame {
  if (text === 'pong') return { kind: 'heartbeat' };
  const frame = readObject(JSON.parse(text), 'frame');
  if (frame.event === 'error')
    return { kind: 'refused', why: `the venue says ${String(frame.code)}: ${String(frame.msg)}` };
  if (frame.event !== undefined && frame.event !== 'subscribe')
    return { kind: 'ignored', why: `event ${JSON.stringify(frame.event)}` };
  const arg = readObject(frame.arg, 'arg');
  if (arg.channel !== CHANNEL) return { kind: 'ignored', why: `channel ${String(arg.channel)}` };
  if (frame.event === 'subscribe') {
    state.isBackfillDue = true;
    return { kind: 'subscribed', topics: [readText(arg.instType, 'arg.instType')] };
  }
  const ours = bySymbol(known().instruments);
  const { orders, refused } = readOrders(readArray(frame.data, 'data'));
  const reported = readLiquidations(orders, (order) => parseOrder(order, ours), state.isBackfillDue);
  state.isBackfillDue = false;
  const odd = [...refused, ...(reported.refused ?? [])];
  return odd.length > 0 ? { ...reported, refused: odd } : reported;
}
