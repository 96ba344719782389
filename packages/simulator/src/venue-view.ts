import type { Market } from './market/market.ts';
import { VenueMarket } from './market/venue-market.ts';
import { VENUE_SIMULATORS } from './venues/index.ts';

/** The market as a simulated venue sees it; `undefined` for one that is not simulated, and for the primary venue. */
export function viewOfVenue(market: Market, venue: string): VenueMarket | undefined {
  const shape = VENUE_SIMULATORS.find(({ id }) => id === venue)?.shape;
  return shape && new VenueMarket(market, shape);
}
