import type { Funding, OpenInterest } from '@crosstape/core';
import type { HistorySample } from './history-table.ts';
import { freshMsOf, type Snapshot } from '../../topics.ts';
import { fundingByCoin, scaleRate } from './funding.ts';
import { type Dated, openInterestByCoin } from './open-interest.ts';
import { perpConventionOf } from '../markets/venue-ids.ts';

/** Venues whose funding is kept; open interest is kept for the primary venue. */
export const historyVenues = ['hyperliquid', 'binance', 'bybit', 'okx'] as const;

/** The last data of a venue. */
export interface HistoryInputs {
  readonly openInterest?: Snapshot<OpenInterest> | undefined;
  readonly funding?: Snapshot<Funding> | undefined;
}

/** A sample of every coin with known data at `t`. Data that are old by then are missing, never repeated. */
export function sampleHistory(
  t: number,
  primaryVenue: string,
  tablesOf: (venue: string) => HistoryInputs,
): readonly HistorySample[] {
  const openInterest = freshOpenInterest(t, tablesOf(primaryVenue));
  const funding = new Map<string, Record<string, SampledRate>>();
  for (const venue of historyVenues) {
    for (const [coin, rate] of freshFunding(t, venue, tablesOf(venue))) {
      const rates = funding.get(coin) ?? {};
      rates[venue] = rate;
      funding.set(coin, rates);
    }
  }
  const coins = new Set([...openInterest.keys(), ...funding.keys()]);
  return [...coins].map((coin) => {
    const contracts = openInterest.get(coin);
    return {
      coin,
      t,
      ...(contracts === undefined ? {} : { openInterest: contracts }),
      funding: funding.get(coin) ?? {},
    };
  });
}

/** The open interest of each coin at `t`, in the venue's contracts. */
export function freshOpenInterest(
  t: number,
  { openInterest: table }: HistoryInputs,
): ReadonlyMap<string, number> {
  const held = new Map<string, number>();
  if (!table) return held;
  for (const [coin, interest] of openInterestByCoin(table, t))
    if (isFresh(t, interest, table)) held.set(coin, interest.value.contracts);
  return held;
}

/** The rate as it is served, and the period that the venue itself counts in. */
type SampledRate = HistorySample['funding'][string];

/** The funding of each coin at `t`. */
export function freshFunding(
  t: number,
  venue: string,
  { funding, openInterest }: HistoryInputs,
): ReadonlyMap<string, SampledRate> {
  const rates = new Map<string, SampledRate>();
  if (!funding) return rates;
  const { fundingPeriodHours } = perpConventionOf(venue);
  for (const [coin, reported] of fundingByCoin(funding, openInterest, t)) {
    if (!isFresh(t, reported, funding)) continue;
    const { value } = reported;
    rates.set(coin, { rate: scaleRate(value, fundingPeriodHours), nativePeriodHours: value.periodHours });
  }
  return rates;
}

function isFresh(t: number, { fetchedAtMs }: Dated<unknown>, table: Snapshot<unknown>): boolean {
  return t - fetchedAtMs <= freshMsOf(table);
}
