import type { BarRow } from './bar-columns.ts';
import { nearestNumber } from './exact-decimal.ts';
import { readSums } from './exact-sums.ts';
import type { OpenBar } from './open-bar.ts';
import { type Scale, tens } from './scale.ts';

/**
 * Converts the integers of a bar to decimals. One division of two exact numbers is rounded once, so the result prints
 * the exact decimal whenever a number can.
 */
export function fillRow(row: BarRow, bar: OpenBar, { priceDecimals, sizeDecimals }: Scale): void {
  const perPrice = tens[priceDecimals]!;
  const perSize = tens[sizeDecimals]!;
  row.openTs = bar.openTs;
  row.closeTs = bar.closeTs;
  row.open = bar.open / perPrice;
  row.high = bar.high / perPrice;
  row.low = bar.low / perPrice;
  row.close = bar.close / perPrice;
  row.trades = bar.trades;
  row.direction = Math.sign(bar.close - bar.open);
  row.complete = 1;
  row.volume = bar.volume / perSize;
  row.buyVolume = (bar.volume + bar.delta) / 2 / perSize;
  row.delta = bar.delta / perSize;
  row.minDelta = bar.minDelta / perSize;
  row.maxDelta = bar.maxDelta / perSize;
  row.notionalUsd = bar.notional / tens[priceDecimals + sizeDecimals]!;
  if (bar.volumeCarry > 0) {
    const { volume, delta, minDelta, maxDelta } = readSums(bar);
    row.volume = nearestNumber(volume, sizeDecimals);
    row.buyVolume = nearestNumber((volume + delta) / 2n, sizeDecimals);
    row.delta = nearestNumber(delta, sizeDecimals);
    row.minDelta = nearestNumber(minDelta, sizeDecimals);
    row.maxDelta = nearestNumber(maxDelta, sizeDecimals);
  }
  if (bar.notionalCarry > 0) {
    row.notionalUsd = nearestNumber(readSums(bar).notional, priceDecimals + sizeDecimals);
  }
}
