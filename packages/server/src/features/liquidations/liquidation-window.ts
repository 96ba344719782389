import { type Liquidation, roundTo } from '@crosstape/core';
import { LIQUIDATION_WINDOW_MS, LIQUIDATIONS_MAX } from './liquidation-table.ts';

/** Old entries are dropped when this many have gathered, not one by one. */
const TRIM_ENTRIES = 1_000;
const USD_DECIMALS = 2;

export interface SideTotals {
  readonly longUsd: number;
  readonly shortUsd: number;
  readonly count: number;
}

/** Liquidations of a coin within the window. */
export interface CoinLiquidations {
  readonly coin: string;
  readonly maxUsd: number;
  /** The contributing venues, in order of their ids. */
  readonly venues: readonly string[];
  readonly measured: SideTotals;
  readonly inferred: SideTotals;
  /** Currencies that the contracts are quoted in, the dollar included. */
  readonly quotes: readonly string[];
  /** Currencies of unknown rate: each counts as one dollar. */
  readonly unconverted: readonly string[];
}

/**
 * The liquidations of the last 24 hours, in memory. Sums are computed on request from the entries, so they never drift.
 */
export class LiquidationWindow {
  #entries: Liquidation[] = [];
  /** Entries before this time may have been evicted; none after it. */
  forgottenUntilMs = 0;

  /** In any order of time. */
  add(liquidation: Liquidation, nowMs: number): void {
    this.#entries.push(liquidation);
    const first = this.#entries[TRIM_ENTRIES];
    if (first !== undefined && first.ts <= nowMs - LIQUIDATION_WINDOW_MS) {
      this.#entries = this.#entries.filter(({ ts }) => ts > nowMs - LIQUIDATION_WINDOW_MS);
    }
    if (this.#entries.length <= LIQUIDATIONS_MAX) return;
    const gone = this.#entries.splice(0, TRIM_ENTRIES);
    for (const { ts } of gone) this.forgottenUntilMs = Math.max(this.forgottenUntilMs, ts);
  }

  /**
   * By coin. For a venue and coin that is replaced by another source, only the largest counts. Liquidations received
   * before the rate of their currency was known are converted at the current rate.
   */
  totals(
    nowMs: number,
    isReplaced: (venue: string, coin: string) => boolean = () => false,
    rateOf: (currency: string) => number | undefined = () => undefined,
  ): ReadonlyMap<string, CoinLiquidations> {
    const sums = new Map<string, Sum>();
    for (const entry of this.#entries) {
      if (entry.ts <= nowMs - LIQUIDATION_WINDOW_MS) continue;
      let sum = sums.get(entry.coin);
      if (!sum) sums.set(entry.coin, (sum = newSum()));
      const converted = entry.isUnconverted ? inDollars(entry, rateOf) : entry;
      sum.maxUsd = Math.max(sum.maxUsd, converted.notionalUsd);
      if (!isReplaced(entry.venue, entry.coin)) addTo(sum, converted);
    }
    return new Map([...sums].map(([coin, sum]) => [coin, totalsOf(coin, sum)]));
  }
}

/** The totals of a coin without liquidations. */
export function noLiquidations(coin: string): CoinLiquidations {
  return totalsOf(coin, newSum());
}

interface Totals {
  longUsd: number;
  shortUsd: number;
  count: number;
}

interface Sum {
  maxUsd: number;
  readonly venues: Set<string>;
  readonly measured: Totals;
  readonly inferred: Totals;
  readonly quotes: Set<string>;
  readonly unconverted: Set<string>;
}

function newSum(): Sum {
  const none = { longUsd: 0, shortUsd: 0, count: 0 };
  return {
    maxUsd: 0,
    venues: new Set(),
    measured: { ...none },
    inferred: { ...none },
    quotes: new Set(),
    unconverted: new Set(),
  };
}

function inDollars(liquidation: Liquidation, rateOf: (currency: string) => number | undefined): Liquidation {
  const { isUnconverted: _, ...rest } = liquidation;
  const rate = rateOf(liquidation.quote ?? 'USD');
  return rate === undefined ? liquidation : { ...rest, notionalUsd: liquidation.notionalUsd * rate };
}

function addTo(sum: Sum, liquidation: Liquidation): void {
  const { venue, side, notionalUsd, inferred, quote = 'USD', isUnconverted } = liquidation;
  sum.quotes.add(quote);
  if (isUnconverted) sum.unconverted.add(quote);
  const totals = inferred ? sum.inferred : sum.measured;
  if (side === 'sell') totals.longUsd += notionalUsd;
  else totals.shortUsd += notionalUsd;
  totals.count += 1;
  sum.venues.add(venue);
}

function totalsOf(coin: string, sum: Sum): CoinLiquidations {
  const { maxUsd, venues, measured, inferred, quotes, unconverted } = sum;
  const rounded = ({ longUsd, shortUsd, count }: Totals): SideTotals => ({
    longUsd: roundTo(longUsd, USD_DECIMALS),
    shortUsd: roundTo(shortUsd, USD_DECIMALS),
    count,
  });
  return {
    coin,
    maxUsd: roundTo(maxUsd, USD_DECIMALS),
    venues: [...venues].toSorted(),
    measured: rounded(measured),
    inferred: rounded(inferred),
    quotes: [...quotes].toSorted(),
    unconverted: [...unconverted].toSorted(),
  };
}
