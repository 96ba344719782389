import { type Funding, type OpenInterest, roundTo } from '@crosstape/core';
import type { Snapshot } from '../../topics.ts';
import { usableRows } from './contract-rows.ts';
import { type Dated, openInterestByCoin } from './open-interest.ts';

/** A rate of 0.01 % has four zeros: eleven significant digits remain, float noise does not. */
const RATE_DECIMALS = 15;

/**
 * The funding of each coin's contract with the most open interest. A coin with several contracts whose largest is
 * unknown, or whose funding is unknown, is left out: that of another contract would be another rate.
 */
export function fundingByCoin(
  funding: Snapshot<Funding>,
  openInterest: Snapshot<OpenInterest> | undefined,
  nowMs: number,
): ReadonlyMap<string, Dated<Funding>> {
  const { rows, lacking } = usableRows(funding, nowMs);
  const held = openInterest ? openInterestByCoin(openInterest, nowMs) : undefined;
  const contracts = new Map([...lacking].map(([coin, symbols]) => [coin, symbols.length]));
  for (const { row } of rows) contracts.set(row.coin, (contracts.get(row.coin) ?? 0) + 1);
  const reported = new Map<string, Dated<Funding>>();
  for (const { row, atMs } of rows) {
    if (contracts.get(row.coin) === 1 || held?.get(row.coin)?.value.symbol === row.symbol)
      reported.set(row.coin, { value: row, fetchedAtMs: atMs });
  }
  return reported;
}

/** The rate for `periodHours`, in proportion to the venue's own period. */
export function scaleRate(funding: Pick<Funding, 'rate' | 'periodHours'>, periodHours: number): number {
  if (funding.periodHours === periodHours) return funding.rate;
  return roundTo((funding.rate * periodHours) / funding.periodHours, RATE_DECIMALS);
}
