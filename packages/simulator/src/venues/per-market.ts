import type { VenueMarket } from '../market/venue-market.ts';

/** What a venue makes of its market, made once: it may list hundreds of contracts, and is asked for each of them. */
export function perMarket<Made>(make: (market: VenueMarket) => Made): (market: VenueMarket) => Made {
  const made = new WeakMap<VenueMarket, { readonly value: Made }>();
  return (market) => {
    const known = made.get(market) ?? { value: make(market) };
    made.set(market, known);
    return known.value;
  };
}
