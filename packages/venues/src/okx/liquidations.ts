import { bySymbol } from '../by-symbol.ts';
import { jsonReader, readLiquidations } from '../frame-reader.ts';
import { type Fields, readArray } from '../reading.ts';
import type { Feed, Frame, Known } from '../venue.ts';
import { channelOperation, PING, PONG, readChannel } from './channel.ts';
import { parseOrder, readOrders } from './liquidation-rows.ts';
import { pastLiquidations } from './past-liquidations.ts';

const CHANNEL = 'liquidation-orders';
/** One topic covers all swaps. */
const TOPIC = 'SWAP';

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
  subscribe: (topics) => channelOperation('subscribe', CHANNEL, topics, 'instType'),
  unsubscribe: (topics) => channelOperation('unsubscribe', CHANNEL, topics, 'instType'),
  ping: PING,
  refill: pastLiquidations,
  open(known) {
    const state = { isBackfillDue: true };
    return jsonReader((frame) => parseFrame(frame, known, state), PONG);
  },
};

function parseFrame(received: Fields, known: () => Known, state: { isBackfillDue: boolean }): Frame {
  const frame = readChannel(received, CHANNEL, (pushed) => parsePush(pushed, known, state), 'instType');
  if (frame.kind === 'subscribed') state.isBackfillDue = true;
  return frame;
}

function parsePush(frame: Fields, known: () => Known, state: { isBackfillDue: boolean }): Frame {
  const ours = bySymbol(known().instruments);
  const { orders, refused } = readOrders(readArray(frame.data, 'data'));
  const reported = readLiquidations(orders, (order) => parseOrder(order, ours), state.isBackfillDue);
  state.isBackfillDue = false;
  const odd = [...refused, ...(reported.refused ?? [])];
  return odd.length > 0 ? { ...reported, refused: odd } : reported;
}
