import { catalog, type PerpConvention, venues } from '@crosstape/venues';

/** What `venues` may be: every perpetual venue, the primary one first. */
export const perpVenueIds: readonly string[] = venues.map(({ id }) => id);

/** The venues that publish liquidations. */
export const liquidationVenueIds: readonly string[] = venues
  .filter(({ connector }) => connector?.feeds.some(({ name }) => name === 'liquidations'))
  .map(({ id }) => id);

/** What `exchange` may be: every venue that is spoken of, in the order of the catalog. */
export const catalogVenueIds: readonly string[] = catalog.map(({ id }) => id);

export type { PerpConvention } from '@crosstape/venues';

const conventions = new Map(venues.map(({ id, perp }) => [id, perp]));

/** Facts about a venue's perpetuals. */
export function perpConventionOf(venue: string): PerpConvention {
  const convention = conventions.get(venue);
  if (!convention) throw new Error(`${venue} is no venue of perpetuals`);
  return convention;
}
