import { type Instrument, roundTo, type VenueLiquidation } from '@crosstape/core';
import { readArray, readIntegerText, readObject, readPositiveDecimal, readText } from '../reading.ts';
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
export function parseRow(row: unknown, ours: ReadonlyMap<string, Instrument>): readonly VenueLiquidation[] {
  const { instId, details } = readObject(row, 'liquidation');
  const symbol = readText(instId, 'instId');
  const instrument = ours.get(symbol);
  if (!instrument) return [];
  const { coin, contractSize = 1 } = instrument;
  return readArray(details, `${symbol}.details`).map((detail) => {
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
  });
}
