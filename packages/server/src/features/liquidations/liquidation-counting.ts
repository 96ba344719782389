import { type LiquidationTotals, roundTo } from '@crosstape/core';
import { type CoinLiquidations, noLiquidations } from './liquidation-window.ts';

/** An older figure of the aggregator does not represent the last 24 hours. */
const FIGURE_MAX_AGE_MS = 15 * 60_000;
const USD_DECIMALS = 2;

export interface CountedLiquidations extends CoinLiquidations {
  /** Venues that are counted by the aggregator's figures, in order of their ids. */
  readonly aggregated: readonly string[];
}

export interface Counting {
  /** Received liquidations by coin; for a replaced venue and coin, only the largest counts. */
  readonly totals: (
    isReplaced: (venue: string, coin: string) => boolean,
  ) => ReadonlyMap<string, CoinLiquidations>;
  /** Whether a venue was connected for the whole window. */
  readonly isWhole: (venue: string) => boolean;
  readonly figures: readonly LiquidationTotals[];
  readonly nowMs: number;
}

/**
 * Counts each venue from exactly one source: its own feed if that was connected for the whole window, else the
 * aggregator's figure for the coin if there is one, else what its feed delivered.
 */
export function countLiquidations(counting: Counting): ReadonlyMap<string, CountedLiquidations> {
  const { totals, isWhole, figures, nowMs } = counting;
  const used = new Map<string, LiquidationTotals>();
  for (const figure of figures) {
    const { venue, coin, asOfMs } = figure;
    if (nowMs - asOfMs <= FIGURE_MAX_AGE_MS && !isWhole(venue)) used.set(keyOf(venue, coin), figure);
  }
  const measured = totals((venue, coin) => used.has(keyOf(venue, coin)));
  const counted = new Map<string, CountedLiquidations>();
  for (const [coin, one] of measured) counted.set(coin, { ...one, aggregated: [] });
  for (const figure of used.values()) {
    const { coin } = figure;
    counted.set(coin, withFigure(counted.get(coin) ?? { ...noLiquidations(coin), aggregated: [] }, figure));
  }
  return counted;
}

function keyOf(venue: string, coin: string): string {
  return `${venue}:${coin}`;
}

/** The aggregator has sums, not counts. */
function withFigure(one: CountedLiquidations, figure: LiquidationTotals): CountedLiquidations {
  const { venue, longUsd, shortUsd } = figure;
  const { measured } = one;
  return {
    ...one,
    venues: longUsd + shortUsd > 0 ? [...one.venues, venue].toSorted() : one.venues,
    measured: {
      longUsd: roundTo(measured.longUsd + longUsd, USD_DECIMALS),
      shortUsd: roundTo(measured.shortUsd + shortUsd, USD_DECIMALS),
      count: measured.count,
    },
    aggregated: [...one.aggregated, venue].toSorted(),
  };
}
