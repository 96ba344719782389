import { type OpenInterest, roundTo } from '@crosstape/core';
import type { Snapshot } from '../topics.ts';
import { usableRows } from './contract-rows.ts';

/** Sums of venue counts keep the decimals that venues use. */
const SUM_DECIMALS = 8;
/** Billions of dollars have no more than these, beyond which a float has noise. */
const USD_DECIMALS = 2;

/** What is told of a coin, and when the oldest part of it was fetched. */
export interface Dated<Value> {
  readonly value: Value;
  readonly fetchedAtMs: number;
}

/**
 * Open interest of each coin over all its contracts; `symbol` is the contract with the most. A coin of which one
 * contract is not known, or not since long, is not told: what the others hold is no sum.
 */
export function openInterestByCoin(
  table: Snapshot<OpenInterest>,
  nowMs: number,
): ReadonlyMap<string, Dated<OpenInterest>> {
  const { rows, lacking } = usableRows(table, nowMs);
  const sums = new Map<string, Dated<OpenInterest>>();
  const largest = new Map<string, OpenInterest>();
  for (const { row, atMs } of rows) {
    if (lacking.has(row.coin)) continue;
    const top = largest.get(row.coin);
    const symbol = top === undefined || row.usd > top.usd ? row.symbol : top.symbol;
    if (symbol === row.symbol) largest.set(row.coin, row);
    const sum = sums.get(row.coin);
    sums.set(
      row.coin,
      sum
        ? { value: add(sum.value, row, symbol), fetchedAtMs: Math.min(sum.fetchedAtMs, atMs) }
        : { value: row, fetchedAtMs: atMs },
    );
  }
  return sums;
}

function add(sum: OpenInterest, row: OpenInterest, symbol: string): OpenInterest {
  return {
    coin: sum.coin,
    symbol,
    contracts: roundTo(sum.contracts + row.contracts, SUM_DECIMALS),
    coins: roundTo(sum.coins + row.coins, SUM_DECIMALS),
    usd: roundTo(sum.usd + row.usd, USD_DECIMALS),
  };
}
