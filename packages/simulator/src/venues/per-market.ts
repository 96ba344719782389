import type { VenueMarket } from '../market/venue-market.ts';

/** Computed once per market: a venue may list hundreds of contracts, and each is requested. */
export function perMarket<Made>(make: (market: VenueMarket) => Made): (market: VenueMarket) => Made {
  const made = new WeakMap<VenueMarket, { readonly value: Made }>();
  return (market) => {
    const known = made.get(market) ?? { value: make(market) };
    made.set(market, known);
    return known.value;
  };
}
