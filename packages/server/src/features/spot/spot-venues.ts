import { spotVenues } from '@crosstape/venues';

/** A spot venue: its plain id in answers, and that of the source of its prices. */
export interface SpotVenueName {
  readonly venue: string;
  readonly source: string;
}

/** The spot venues, the proxy venue of ETF flows first. */
export const spotVenueNames: readonly SpotVenueName[] = spotVenues.map(({ venue, id: source }) => ({
  venue,
  source,
}));
