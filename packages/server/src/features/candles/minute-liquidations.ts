import { intervalStart, LIQUIDATED_DECIMALS, type Liquidation, MINUTE_MS } from '@crosstape/core';
import { marketKey } from '../../store/market-key.ts';

const MICRO = 10 ** LIQUIDATED_DECIMALS;
/** Minutes with a liquidation that are remembered, over all markets; beyond it the oldest are dropped. */
const MINUTES_MAX = 200_000;

/** Liquidated notional, in whole numbers of 10^-6 dollars. */
export interface Liquidated {
  long: number;
  short: number;
}

/** Sums liquidations by market and minute. */
export class MinuteLiquidations {
  readonly #sums = new Map<string, Liquidated>();

  add(liquidation: Liquidation): void {
    const { venue, coin, symbol = coin, side, notionalUsd, ts, isUnconverted } = liquidation;
    if (isUnconverted) return;
    const name = nameOf(marketKey(venue, symbol), intervalStart(ts, MINUTE_MS));
    const sum = this.#sums.get(name) ?? { long: 0, short: 0 };
    // The forced order of a long is a sale.
    if (side === 'sell') sum.long += Math.round(notionalUsd * MICRO);
    else sum.short += Math.round(notionalUsd * MICRO);
    this.#sums.set(name, sum);
    if (this.#sums.size > MINUTES_MAX)
      for (const oldest of this.#sums.keys()) {
        this.#sums.delete(oldest);
        break;
      }
  }

  of(market: string, minuteTs: number): Liquidated | undefined {
    return this.#sums.get(nameOf(market, minuteTs));
  }
}

function nameOf(market: string, minuteTs: number): string {
  return `${minuteTs} ${market}`;
}
