/** What a venue trades on: `cex` and `dex` order books, or one of the special kinds. */
export type VenueKind = 'cex' | 'dex' | 'options' | 'prediction' | 'tradfi';

/** Who a venue is, apart from how its wire is spoken. */
export interface VenueIdentity {
  /** The only spelling that ever leaves the service. */
  readonly id: string;
  readonly name: string;
  readonly kind: VenueKind;
  /** Other spellings accepted as input, neutral code included; matched without regard to case. */
  readonly aliases: readonly string[];
}

/** Finds a venue by id or alias, without regard to case. */
export function findVenue<V extends VenueIdentity>(venues: readonly V[], name: string): V | undefined {
  const wanted = name.toLowerCase();
  return venues.find((venue) => venue.id === wanted || venue.aliases.includes(wanted));
}
