import { type Funding, type OpenInterest, roundTo } from '@crosstape/core';

/** A rate of 0.01 % has four zeros: eleven significant digits remain, float noise does not. */
const RATE_DECIMALS = 15;

/** The funding of each coin's contract with the most open interest; the first listed where that is unknown. */
export function fundingByCoin(
  rows: readonly Funding[],
  openInterest: readonly OpenInterest[],
): ReadonlyMap<string, Funding> {
  const usdBySymbol = new Map(openInterest.map((row) => [row.symbol, row.usd]));
  const usdOf = (row: Funding): number => usdBySymbol.get(row.symbol) ?? 0;
  const best = new Map<string, Funding>();
  for (const row of rows) {
    const other = best.get(row.coin);
    if (other === undefined || usdOf(row) > usdOf(other)) best.set(row.coin, row);
  }
  return best;
}

/** The rate for `periodHours`, in proportion to the venue's own period. */
export function scaleRate(funding: Pick<Funding, 'rate' | 'periodHours'>, periodHours: number): number {
  if (funding.periodHours === periodHours) return funding.rate;
  return roundTo((funding.rate * periodHours) / funding.periodHours, RATE_DECIMALS);
}
