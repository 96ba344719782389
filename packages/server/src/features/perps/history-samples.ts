import type { Funding, OpenInterest } from '@crosstape/core';
import type { HistorySample } from './history-table.ts';
import { freshMsOf, type Snapshot } from '../../topics.ts';
import { fundingByCoin, scaleRate } from './funding.ts';
import { type Dated, openInterestByCoin } from './open-interest.ts';
import { perpConventionOf } from '../markets/venue-ids.ts';

/** Whose funding is kept; open interest is kept of the primary venue. */
export const historyVenues = ['hyperliquid', 'binance', 'bybit', 'okx'] as const;

/** What a venue said last. */
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
  const isFresh = ({ fetchedAtMs }: Dated<unknown>, table: Snapshot<unknown>): boolean =>
    t - fetchedAtMs <= freshMsOf(table);
  const openInterest = new Map<string, number>();
  const { openInterest: primary } = tablesOf(primaryVenue);
  if (primary) {
    for (const [coin, held] of openInterestByCoin(primary, t))
      if (isFresh(held, primary)) openInterest.set(coin, held.value.contracts);
  }
  const funding = new Map<string, Record<string, { rate: number; nativePeriodHours: number }>>();
  for (const venue of historyVenues) {
    const tables = tablesOf(venue);
    if (!tables.funding) continue;
    const { fundingPeriodHours } = perpConventionOf(venue);
    for (const [coin, reported] of fundingByCoin(tables.funding, tables.openInterest, t)) {
      if (!isFresh(reported, tables.funding)) continue;
      const rates = funding.get(coin) ?? {};
      const { value } = reported;
      rates[venue] = { rate: scaleRate(value, fundingPeriodHours), nativePeriodHours: value.periodHours };
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
