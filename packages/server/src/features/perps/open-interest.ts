import { type OpenInterest, roundTo } from '@crosstape/core';
import type { Snapshot } from '../../topics.ts';
import { usableRows } from './contract-rows.ts';
import { atPar, type QuoteWorth } from '../rates/quote-worth.ts';

/** Sums of venue counts keep the decimals that venues use. */
const SUM_DECIMALS = 8;
/** More decimals would be float noise at billions of dollars. */
const USD_DECIMALS = 2;

/** The figure of a coin, and when its oldest part was fetched. */
export interface Dated<Value> {
  readonly value: Value;
  readonly fetchedAtMs: number;
}

/** Open interest of a coin over all its contracts. */
export interface CoinInterest {
  readonly coin: string;
  /** The contract with the most, and the currency that it is quoted in. */
  readonly symbol: string;
  readonly quote: string;
  readonly contracts: number;
  readonly coins: number;
  readonly usd: number;
  /** The currencies besides the dollar whose rate `usd` needs. */
  readonly rated: readonly string[];
  /** A rate is unknown: that part of `usd` is not in dollars. */
  readonly isUnconverted: boolean;
}

/**
 * Open interest of each coin over all its contracts, each converted to dollars from its own currency. A coin with a
 * contract that is unknown, stale or without a value is left out: the others alone are not its sum.
 */
export function openInterestByCoin(
  table: Snapshot<OpenInterest>,
  nowMs: number,
  worthOf: (symbol: string) => QuoteWorth = atPar,
): ReadonlyMap<string, Dated<CoinInterest>> {
  const { rows, lacking } = usableRows(table, nowMs);
  const withoutValue = new Set(
    rows.filter(({ row }) => valueOf(row) === undefined).map(({ row }) => row.coin),
  );
  const sums = new Map<string, Dated<CoinInterest>>();
  const largestUsd = new Map<string, number>();
  for (const { row, atMs } of rows) {
    if (lacking.has(row.coin) || withoutValue.has(row.coin)) continue;
    const one = inDollars(row, worthOf(row.symbol));
    const isLargest = one.usd > (largestUsd.get(row.coin) ?? Number.NEGATIVE_INFINITY);
    if (isLargest) largestUsd.set(row.coin, one.usd);
    const sum = sums.get(row.coin);
    sums.set(
      row.coin,
      sum
        ? { value: add(sum.value, one, isLargest), fetchedAtMs: Math.min(sum.fetchedAtMs, atMs) }
        : { value: one, fetchedAtMs: atMs },
    );
  }
  return sums;
}

function valueOf({ usd, value }: OpenInterest): number | undefined {
  return usd ?? value;
}

function inDollars(row: OpenInterest, { quote, rate }: QuoteWorth): CoinInterest {
  const { coin, symbol, contracts, coins, value = 0 } = row;
  const common = { coin, symbol, quote, contracts, coins };
  const isDollars = row.usd !== undefined || quote === 'USD';
  if (isDollars) return { ...common, usd: row.usd ?? value, rated: [], isUnconverted: false };
  const usd = rate === undefined ? value : roundTo(value * rate, USD_DECIMALS);
  return { ...common, usd, rated: [quote], isUnconverted: rate === undefined };
}

function add(sum: CoinInterest, one: CoinInterest, isLargest: boolean): CoinInterest {
  const { symbol, quote } = isLargest ? one : sum;
  return {
    coin: sum.coin,
    symbol,
    quote,
    contracts: roundTo(sum.contracts + one.contracts, SUM_DECIMALS),
    coins: roundTo(sum.coins + one.coins, SUM_DECIMALS),
    usd: roundTo(sum.usd + one.usd, USD_DECIMALS),
    rated: [...new Set([...sum.rated, ...one.rated])],
    isUnconverted: sum.isUnconverted || one.isUnconverted,
  };
}
