import { type Instrument, roundTo, type VenueLiquidation } from '@crosstape/core';
import {
  readArray,
  readIntegerText,
  readObject,
  readPositiveDecimal,
  MOST,
  readRows,
  readText,
} from '../reading.ts';
import { Malformed } from '../venue.ts';

const SIZE_DECIMALS = 8;

/**
 * The forced orders of one swap, the same on the socket and over REST:
 * ```json
 * {"details":[{"bkLoss":"0","bkPx":"0.007831","ccy":"","posSide":"short","side":"buy","sz":"13","ts":"1692266434010"}],
 *  "instFamily":"IOST-USDT","instId":"IOST-USDT-SWAP","instType":"SWAP","uly":"IOST-USDT"}
 * ```
 * `side` is the order's, `sz` is in contracts, and the price is that of bankruptcy [D].
 */
export function readOrders(rows: readonly unknown[]): {
  readonly orders: readonly ForcedOrder[];
  readonly refused: readonly string[];
} {
  const { rows: swaps, refused } = readRows(
    rows.length,
    (i) => {
      const { instId, details } = readObject(rows[i], 'liquidation');
      const symbol = readText(instId, 'instId');
      return readArray(details, `${symbol}.details`).map((detail) => ({ symbol, detail }));
    },
    MOST,
  );
  return { orders: swaps.flat(), refused };
}

interface ForcedOrder {
  /** Of the swap. */
  readonly symbol: string;
  readonly detail: unknown;
}

/** `undefined` of a swap that is not ours. */
export function parseOrder(
  { symbol, detail }: ForcedOrder,
  ours: ReadonlyMap<string, Instrument>,
): VenueLiquidation | undefined {
  const instrument = ours.get(symbol);
  if (!instrument) return undefined;
  const { coin, contractSize = 1 } = instrument;
  const { side, bkPx, sz, ts } = readObject(detail, `${symbol} detail`);
  if (side !== 'buy' && side !== 'sell') throw new Malformed(`${symbol} side is neither buy nor sell`);
  const contracts = readPositiveDecimal(sz, `${symbol} sz`);
  return {
    coin,
    symbol,
    side,
    price: readPositiveDecimal(bkPx, `${symbol} bkPx`),
    size: roundTo(contracts * contractSize, SIZE_DECIMALS),
    venueTs: readIntegerText(ts, `${symbol} ts`),
  };
}
