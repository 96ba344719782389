import { HOUR_MS } from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
import { readLiquidations } from '../frame-reader.ts';
import { readIntegerText, readObject, MOST, readRows } from '../reading.ts';
import { Malformed, type Refill, type VenueRequest } from '../venue.ts';
import { readAnswer } from './answer.ts';
import { parseOrder, readOrders } from './liquidation-rows.ts';

const ROWS_MAX = 100;

/**
 * The forced orders of a family of swaps, newest first, at most 100 in an answer; `after` asks for those before a time:
 * ```json
 * {"code":"0","msg":"","data":[{"details":[{"bkLoss":"0","bkPx":"93120.4","ccy":"","posSide":"long","side":"sell",
 *  "sz":"12.5","ts":"1763164700123"}],"instFamily":"BTC-USDT","instId":"BTC-USDT-SWAP","instType":"SWAP",
 *  "uly":"BTC-USDT"}]}
 * ```
 * Gone from the documents, answered all the same in September and October 2026; a family must be named [M]. An order is
 * here about 69 minutes after the socket had it [M]. Paging, and a week of reach: [K]. A day is what is served. 40 requests in 2 s
 * [K], or 20 [M]: what is requested here stays below that even if it is sent at once.
 */
export const pastLiquidations: Refill = {
  name: 'liquidation-orders',
  weight: 1,
  perMinute: 72,
  reachMs: 24 * HOUR_MS,
  keys: (known) => [...new Set((known.instruments ?? []).map(({ symbol }) => symbol.replace(/-SWAP$/, '')))],
  request: (family) => requestOf(family),
  parse(body, _receivedAtMs, known, family) {
    const ours = bySymbol(known.instruments);
    const { orders, refused } = readOrders(readAnswer(body));
    const { refused: odd = [], ...frame } = readLiquidations(
      orders,
      (order) => parseOrder(order, ours),
      true,
    );
    // An order without a time is among the refused: it is not needed here.
    const times = readRows(orders.length, (i) => timeOf(orders[i]?.detail), MOST).rows;
    const reported = {
      frame,
      refused: [...refused, ...odd],
      ...(times.length > 0 && { newestMs: Math.max(...times) }),
    };
    // A swap without a name may hide rows of any time: nothing counts as refilled.
    if (refused.length > 0) return { ...reported, sinceMs: Number.POSITIVE_INFINITY };
    if (orders.length < ROWS_MAX) return { ...reported, sinceMs: 0 };
    // In any other order, what was cut off is not what is oldest.
    if (times.some((ts, i) => ts > (times[i - 1] ?? ts)))
      throw new Malformed(`${family} is not newest first`);
    const sinceMs = times.at(-1) ?? 0;
    // Of the oldest millisecond some may be on the next page: it is requested again.
    return { ...reported, sinceMs: sinceMs + 1, more: requestOf(family, sinceMs + 1) };
  },
};

function requestOf(family: string, beforeMs?: number): VenueRequest {
  const before = beforeMs === undefined ? '' : `&after=${beforeMs}`;
  const query = `instType=SWAP&state=filled&limit=${ROWS_MAX}&instFamily=${encodeURIComponent(family)}${before}`;
  return { method: 'GET', path: `/api/v5/public/liquidation-orders?${query}` };
}

function timeOf(detail: unknown): number {
  return readIntegerText(readObject(detail, 'detail').ts, 'ts');
}
