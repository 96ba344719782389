import { type OpenInterest, roundTo } from '@crosstape/core';

/** Sums of venue counts keep the decimals that venues use. */
const SUM_DECIMALS = 8;

/** Open interest of each coin over all its contracts; `symbol` is the contract with the most. */
export function openInterestByCoin(rows: readonly OpenInterest[]): ReadonlyMap<string, OpenInterest> {
  const sums = new Map<string, OpenInterest>();
  const largest = new Map<string, OpenInterest>();
  for (const row of rows) {
    const top = largest.get(row.coin);
    const symbol = top === undefined || row.usd > top.usd ? row.symbol : top.symbol;
    if (symbol === row.symbol) largest.set(row.coin, row);
    const sum = sums.get(row.coin);
    sums.set(row.coin, sum ? add(sum, row, symbol) : row);
  }
  return sums;
}

function add(sum: OpenInterest, row: OpenInterest, symbol: string): OpenInterest {
  return {
    coin: sum.coin,
    symbol,
    contracts: roundTo(sum.contracts + row.contracts, SUM_DECIMALS),
    coins: roundTo(sum.coins + row.coins, SUM_DECIMALS),
    usd: roundTo(sum.usd + row.usd, SUM_DECIMALS),
  };
}
