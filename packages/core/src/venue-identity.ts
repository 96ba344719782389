/** What a venue trades on: `cex` and `dex` order books, or one of the special kinds. */
export type VenueKind = 'cex' | 'dex' | 'options' | 'prediction' | 'tradfi';

/** The identity of a venue, apart from its wire format. */
export interface VenueIdentity {
  /** The only spelling that is ever served. */
  readonly id: string;
  readonly name: string;
  readonly kind: VenueKind;
  /** Other spellings accepted as input, including the neutral code; case-insensitive. */
  readonly aliases: readonly string[];
}

/** Finds a venue by id or alias, case-insensitively. */
export function findVenue<V extends VenueIdentity>(venues: readonly V[], name: string): V | undefined {
  const wanted = name.toLowerCase();
  return venues.find((venue) => venue.id === wanted || venue.aliases.includes(wanted));
}
