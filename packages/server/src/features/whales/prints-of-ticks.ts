import { notionalUsdOf, type Print } from '@crosstape/core';
import type { Owner } from '../tape/newest-trades.ts';
import type { Ticks } from '../tape/tick-table.ts';
import { printOf } from './prints.ts';

/** Tolerance for rounding to cents. */
const CENT = 0.01;

/**
 * The prints of recorded trades of at least `minUsd`, oldest first: the same that `Prints` made of them when they were
 * released. An order has one time and a millisecond is never split, so no print reaches from one chunk into the next.
 */
export function printsOfTicks({ coin, venue }: Owner, { columns, ids }: Ticks, minUsd: number): Print[] {
  const { length, ts, price, size, isBuy, sameOrder } = columns;
  const priceScale = 10 ** columns.priceDecimals;
  const sizeScale = 10 ** columns.sizeDecimals;
  const scaledMin = (minUsd - CENT) * priceScale * sizeScale;
  const prints: Print[] = [];
  for (let from = 0, to = 1; from < length; from = to, to += 1) {
    let scaled = (price[from] as number) * (size[from] as number);
    for (; to < length && sameOrder[to] === 1; to += 1)
      scaled += (price[to] as number) * (size[to] as number);
    // Most orders are too small, which is known before anything is computed.
    if (scaled < scaledMin) continue;
    let coins = 0;
    let notionalUsd = 0;
    for (let i = from; i < to; i += 1) {
      coins += (size[i] as number) / sizeScale;
      notionalUsd += notionalUsdOf((price[i] as number) / priceScale, (size[i] as number) / sizeScale);
    }
    const first = {
      coin,
      venue,
      side: isBuy[from] === 1 ? ('buy' as const) : ('sell' as const),
      price: (price[from] as number) / priceScale,
      ts: ts[from] as number,
      tid: ids.tid[from] as number,
    };
    const print = printOf(first, { size: coins, notionalUsd, fills: to - from });
    if (print.notionalUsd >= minUsd) prints.push(print);
  }
  return prints;
}
