import { contractVenues, perpVenues, shortNames, venueNames } from '../generated/venues.ts';

export { contractVenues, perpVenues };

/** Colours of a series in `design/tokens.css`. */
const COLORS = 9;

export function venueName(venue: string): string {
  return venueNames[venue] ?? venue;
}

export function isVenue(name: string): boolean {
  return name in venueNames;
}

/** A short name: `HL` for Hyperliquid. */
export function venueShort(venue: string): string {
  return shortNames[venue] ?? venueName(venue);
}

/** A token of `design/tokens.css`: perpetual venues have different colours while there are enough. */
export function venueColor(venue: string): string {
  const all: readonly string[] = [...perpVenues, ...Object.keys(venueNames)];
  return `--series-${((all.indexOf(venue) + COLORS) % COLORS) + 1}`;
}
