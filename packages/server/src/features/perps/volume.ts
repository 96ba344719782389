import { roundTo, type Volume } from '@crosstape/core';
import type { Snapshot } from '../../topics.ts';
import { atPar, type QuoteWorth } from '../rates/quote-worth.ts';
import { usableRows } from './contract-rows.ts';
import type { Dated } from './open-interest.ts';

const COIN_DECIMALS = 8;
const USD_DECIMALS = 2;

/** Volume of a coin over all its contracts. */
export interface CoinVolume {
  readonly coin: string;
  readonly usd: number;
  /** Absent if the venue reports no coins for one of the contracts. */
  readonly coins?: number;
  /** A part of `usd` is coins times the last price. */
  readonly isEstimate: boolean;
  /** The currencies besides the dollar whose rate `usd` needs. */
  readonly rated: readonly string[];
  /** A rate is unknown: that part of `usd` is not in dollars. */
  readonly isUnconverted: boolean;
}

/**
 * Volume of each coin over all its contracts, each converted to dollars from its own currency. A coin with a contract of
 * unknown volume is left out: the others alone are not its sum.
 */
export function volumeByCoin(
  table: Snapshot<Volume>,
  nowMs: number,
  worthOf: (symbol: string) => QuoteWorth = atPar,
): ReadonlyMap<string, Dated<CoinVolume>> {
  const { rows, lacking } = usableRows(table, nowMs);
  const sums = new Map<string, Dated<CoinVolume>>();
  for (const { row, atMs } of rows) {
    if (lacking.has(row.coin)) continue;
    const one = inDollars(row, worthOf(row.symbol));
    const sum = sums.get(row.coin);
    sums.set(
      row.coin,
      sum
        ? { value: add(sum.value, one), fetchedAtMs: Math.min(sum.fetchedAtMs, atMs) }
        : { value: one, fetchedAtMs: atMs },
    );
  }
  return sums;
}

function inDollars({ coin, value, coins, isEstimate }: Volume, { quote, rate }: QuoteWorth): CoinVolume {
  return {
    coin,
    usd: roundTo(value * (rate ?? 1), USD_DECIMALS),
    ...(coins !== undefined && { coins }),
    isEstimate: isEstimate ?? false,
    rated: quote === 'USD' ? [] : [quote],
    isUnconverted: rate === undefined,
  };
}

function add(sum: CoinVolume, one: CoinVolume): CoinVolume {
  return {
    coin: sum.coin,
    usd: roundTo(sum.usd + one.usd, USD_DECIMALS),
    ...(sum.coins !== undefined &&
      one.coins !== undefined && { coins: roundTo(sum.coins + one.coins, COIN_DECIMALS) }),
    isEstimate: sum.isEstimate || one.isEstimate,
    rated: [...new Set([...sum.rated, ...one.rated])],
    isUnconverted: sum.isUnconverted || one.isUnconverted,
  };
}
