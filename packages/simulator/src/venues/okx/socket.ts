import type { VenueMarket } from '../../market/venue-market.ts';
import type { Session } from '../wire.ts';
import { printOrder } from './forced-orders.ts';
import { mainListing } from './listing.ts';
import { publicSocketOf } from './public-socket.ts';
import { findSwap } from './trades.ts';

const CHANNEL = 'liquidation-orders';
const TYPES: readonly unknown[] = ['SWAP', 'FUTURES', 'MARGIN', 'OPTION'];
/** How far back the first message after a subscription goes. */
const BACKFILL_MS = 600_000;

/**
 * Trades, books and forced orders of swaps, of these at most one per contract and second [D]. The first message after a
 * subscription to forced orders is of the past [T].
 */
export const publicSocket = publicSocketOf({
  find: findSwap,
  topicOf: (_, arg) =>
    arg['channel'] === CHANNEL && TYPES.includes(arg['instType']) ? String(arg['instType']) : undefined,
  onSubscribe(session, topic) {
    const nowMs = session.nowMs();
    if (topic === 'SWAP') emit(session, nowMs - BACKFILL_MS, nowMs);
  },
  everyMs: 1000,
  push(session, fromMs, toMs) {
    if (session.topics.has('SWAP')) emit(session, fromMs, toMs);
  },
});

function emit(session: Session, fromMs: number, toMs: number): void {
  const rows = latestOrders(session.market, fromMs, toMs);
  if (rows.length > 0) {
    session.send(JSON.stringify({ arg: { channel: CHANNEL, instType: 'SWAP' }, data: rows }));
  }
}

/** The last forced order of each contract, as the venue prints it. */
function latestOrders(market: VenueMarket, fromMs: number, toMs: number): readonly object[] {
  return market.coins.flatMap((coin) => {
    const order = market.liquidations(coin, fromMs, toMs).at(-1);
    return order ? [printOrder(mainListing(coin), [order])] : [];
  });
}
