import type { TableName } from '@crosstape/core';
import { spotVenues } from '@crosstape/venues';

const pairTables = ['spotTickers', 'dayOpens'] as const satisfies readonly TableName[];

/** A spot venue: its plain id in answers, and that of the source of its prices. */
export interface SpotVenueName {
  readonly venue: string;
  readonly source: string;
  /** What makes the row of a pair, where any of it is served for one pair at a time, on request. */
  readonly byPair: readonly (typeof pairTables)[number][];
}

/** The spot venues, the proxy venue of ETF flows first. */
export const spotVenueNames: readonly SpotVenueName[] = spotVenues.map(({ venue, id: source, connector }) => {
  const { resources = [], lookups = [] } = connector ?? {};
  const given = pairTables.filter((table) => gives(resources, table) || gives(lookups, table));
  return { venue, source, byPair: given.some((table) => gives(lookups, table)) ? given : [] };
});

function gives(sources: readonly { readonly gives: readonly TableName[] }[], table: TableName): boolean {
  return sources.some((one) => one.gives.includes(table));
}
