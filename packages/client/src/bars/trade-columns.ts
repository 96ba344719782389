import { createTickColumns, type TickColumns } from '@crosstape/core';
import type { Trade } from '../socket/frame-types.ts';

/** Trades in the columns that builders take: integers with as many decimals as the finest of them prints. */
export function columnsOf(trades: readonly Trade[]): TickColumns {
  const columns = createTickColumns(trades.length);
  columns.length = trades.length;
  for (const { price, size } of trades) {
    columns.priceDecimals = Math.max(columns.priceDecimals, decimalsOf(price));
    columns.sizeDecimals = Math.max(columns.sizeDecimals, decimalsOf(size));
  }
  for (const [i, { ts, price, size, side }] of trades.entries()) {
    columns.ts[i] = ts;
    columns.price[i] = Math.round(price * 10 ** columns.priceDecimals);
    columns.size[i] = Math.round(size * 10 ** columns.sizeDecimals);
    columns.isBuy[i] = side === 'buy' ? 1 : 0;
  }
  return columns;
}

/** Decimals that a number prints, which are the venue's: numbers print exactly what it sent. */
function decimalsOf(value: number): number {
  const [, fraction = '', exponent = '0'] = /^\d+(?:\.(\d+))?(?:e-(\d+))?$/.exec(String(value)) ?? [];
  return fraction.length + Number(exponent);
}
