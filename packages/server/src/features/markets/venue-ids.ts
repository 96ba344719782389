import { catalog, type PerpConvention, type PerpVenue, type SampleKind, venues } from '@crosstape/venues';

/** Values of `venues`: every perpetual venue, the primary one first. */
export const perpVenueIds: readonly string[] = venues.map(({ id }) => id);

/** The venues that publish liquidations. */
export const liquidationVenueIds: readonly string[] = venues
  .filter(({ connector }) => connector?.feeds.some(({ name }) => name === 'liquidations'))
  .map(({ id }) => id);

/** Values of `exchange`: every known venue, in catalogue order. */
export const catalogVenueIds: readonly string[] = catalog.map(({ id }) => id);

export type { PerpConvention } from '@crosstape/venues';

const conventions = new Map(venues.map(({ id, perp }) => [id, perp]));

/** Facts about a venue's perpetuals. */
export function perpConventionOf(venue: string): PerpConvention {
  const convention = conventions.get(venue);
  if (!convention) throw new Error(`${venue} is not a perpetuals venue`);
  return convention;
}

/** `a`, `b` and `c`: perpetual venues by a fact about them, for descriptions. */
export function perpVenuesWith(isNamed: (venue: PerpVenue) => boolean): string {
  const names = venues.filter(isNamed).map(({ id }) => `\`${id}\``);
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');
}

/** Venues that report open interest in contracts. */
export const contractVenueIds: readonly string[] = venues
  .filter(({ perp }) => !perp.isOiUsdOnly)
  .map(({ id }) => id);

/** Venues that report open interest in USD only. */
export const usdOnlyVenues: string = perpVenuesWith(({ perp }) => perp.isOiUsdOnly);

function hasHistory({ connector }: PerpVenue, kind: SampleKind): boolean {
  return connector?.histories?.some((history) => history.kind === kind) ?? false;
}

/** Venues that publish hours of open interest from before the record. */
export const oiHistoryVenues: string = perpVenuesWith((venue) => hasHistory(venue, 'openInterest'));

/** Venues that publish hours of a figure. */
export function venuesWithHistory(kind: SampleKind): readonly string[] {
  return venues.filter((venue) => hasHistory(venue, kind)).map(({ id }) => id);
}

/** Venues whose funding rate covers an hour. */
export const hourlyFundingVenues: string = perpVenuesWith(({ perp }) => perp.fundingPeriodHours === 1);

const neutralCodes = venues.flatMap(({ aliases }) => aliases.filter((alias) => alias.startsWith('venue_')));

/** First and last of the codes that name a venue without its brand. */
export const neutralCodeRange = `\`${neutralCodes[0]}\` to \`${neutralCodes.at(-1)}\``;
