import type { OptionType } from '@crosstape/core';
import type { RecordedOptionTrade } from './option-trade-table.ts';

/** The largest trades of a window that are returned. */
const LARGEST_MAX = 20;

/** The premium in dollars: price × index × size where it is quoted in the coin, price × size in USDC. */
export function premiumUsdOf({ isLinear, price, index, size }: RecordedOptionTrade): number {
  return isLinear ? price * size : price * index * size;
}

/** Sums of trades. Signs are those of the takers: what they bought less what they sold. */
export interface FlowSums {
  readonly trades: number;
  readonly boughtUsd: number;
  readonly soldUsd: number;
  readonly netUsd: number;
  readonly boughtCoins: number;
  readonly soldCoins: number;
  readonly deltaCoins: number;
  readonly vegaUsd: number;
}

export interface SidesFlow {
  readonly calls: FlowSums;
  readonly puts: FlowSums;
}

const NOTHING: FlowSums = {
  trades: 0,
  boughtUsd: 0,
  soldUsd: 0,
  netUsd: 0,
  boughtCoins: 0,
  soldCoins: 0,
  deltaCoins: 0,
  vegaUsd: 0,
};

function added(sums: FlowSums, trade: RecordedOptionTrade): FlowSums {
  const { side, size, delta, vega } = trade;
  const premiumUsd = premiumUsdOf(trade);
  const isBought = side === 'buy';
  const sign = isBought ? 1 : -1;
  return {
    trades: sums.trades + 1,
    boughtUsd: sums.boughtUsd + (isBought ? premiumUsd : 0),
    soldUsd: sums.soldUsd + (isBought ? 0 : premiumUsd),
    netUsd: sums.netUsd + sign * premiumUsd,
    boughtCoins: sums.boughtCoins + (isBought ? size : 0),
    soldCoins: sums.soldCoins + (isBought ? 0 : size),
    deltaCoins: sums.deltaCoins + sign * delta * size,
    vegaUsd: sums.vegaUsd + sign * vega * size,
  };
}

/** Calls and puts apart. */
class Sides {
  #sums: Record<OptionType, FlowSums> = { C: NOTHING, P: NOTHING };

  add(trade: RecordedOptionTrade): void {
    this.#sums[trade.type] = added(this.#sums[trade.type], trade);
  }

  get flow(): SidesFlow {
    return { calls: this.#sums.C, puts: this.#sums.P };
  }
}

/** Sums the trades of a window by type, expiry and strike, and finds the largest. */
export class OptionFlow {
  readonly #total = new Sides();
  readonly #blocks = new Sides();
  readonly #byExpiry = new Map<number, Sides>();
  readonly #byStrike = new Map<number, Sides>();
  /** By premium, the largest first. */
  #largest: readonly RecordedOptionTrade[] = [];

  add(trade: RecordedOptionTrade): void {
    this.#total.add(trade);
    if (trade.block !== undefined) this.#blocks.add(trade);
    sidesOf(this.#byExpiry, trade.expiryMs).add(trade);
    sidesOf(this.#byStrike, trade.strike).add(trade);
    this.#rank(trade);
  }

  get total(): SidesFlow {
    return this.#total.flow;
  }

  /** The legs of block trades, which are in the total as well. */
  get blocks(): SidesFlow {
    return this.#blocks.flow;
  }

  /** Ascending, like the strikes. */
  get byExpiry(): readonly (SidesFlow & { readonly expiryMs: number })[] {
    return ascending(this.#byExpiry).map(([expiryMs, sides]) => ({ expiryMs, ...sides.flow }));
  }

  get byStrike(): readonly (SidesFlow & { readonly strike: number })[] {
    return ascending(this.#byStrike).map(([strike, sides]) => ({ strike, ...sides.flow }));
  }

  get largest(): readonly RecordedOptionTrade[] {
    return this.#largest;
  }

  #rank(trade: RecordedOptionTrade): void {
    const last = this.#largest.at(-1);
    const isFull = this.#largest.length >= LARGEST_MAX;
    if (isFull && last && premiumUsdOf(trade) < premiumUsdOf(last)) return;
    this.#largest = [...this.#largest, trade]
      .toSorted((a, b) => premiumUsdOf(b) - premiumUsdOf(a) || b.ts - a.ts)
      .slice(0, LARGEST_MAX);
  }
}

function sidesOf(map: Map<number, Sides>, key: number): Sides {
  let sides = map.get(key);
  if (!sides) map.set(key, (sides = new Sides()));
  return sides;
}

function ascending(map: ReadonlyMap<number, Sides>): readonly (readonly [number, Sides])[] {
  return [...map].toSorted(([a], [b]) => a - b);
}
