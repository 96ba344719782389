import type { Funding, OpenInterest } from '@crosstape/core';
import type { HistorySample } from '../store/history-shelf.ts';
import type { Snapshot } from '../topics.ts';
import { fundingByCoin, scaleRate } from './funding.ts';
import { openInterestByCoin } from './open-interest.ts';
import { type PerpVenueId, perpConventions } from './perp-conventions.ts';

/** Whose funding is kept; open interest is kept of the primary venue. */
export const historyVenues = ['hyperliquid', 'binance', 'bybit', 'okx'] as const satisfies PerpVenueId[];
/** A table that has not been renewed for so many polls says nothing of now. */
const FRESH_POLLS = 3;

/** What a venue said last. */
export interface VenueTables {
  readonly openInterest?: Snapshot<OpenInterest> | undefined;
  readonly funding?: Snapshot<Funding> | undefined;
}

/** A sample of every coin of which something is known at `t`. What is old by then is missing, never repeated. */
export function sampleHistory(
  t: number,
  primaryVenue: string,
  tablesOf: (venue: string) => VenueTables,
): readonly HistorySample[] {
  const isFresh = (table: Snapshot<unknown>): boolean => t - table.fetchedAtMs <= FRESH_POLLS * table.everyMs;
  const openInterest = new Map<string, number>();
  const { openInterest: primary } = tablesOf(primaryVenue);
  if (primary && isFresh(primary)) {
    for (const { coin, contracts } of openInterestByCoin(primary.rows).values())
      openInterest.set(coin, contracts);
  }
  const funding = new Map<string, Record<string, { rate: number; nativePeriodHours: number }>>();
  for (const venue of historyVenues) {
    const tables = tablesOf(venue);
    if (!tables.funding || !isFresh(tables.funding)) continue;
    const { fundingPeriodHours } = perpConventions[venue];
    for (const row of fundingByCoin(tables.funding.rows, tables.openInterest?.rows ?? []).values()) {
      const rates = funding.get(row.coin) ?? {};
      rates[venue] = { rate: scaleRate(row, fundingPeriodHours), nativePeriodHours: row.periodHours };
      funding.set(row.coin, rates);
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
