/** The venue whose trades are always recorded, and the only one in format version 1. */
export const PRIMARY_VENUE = 'hyperliquid';

/** Id of a market, the first part of its keys: `hyperliquid:BTC`, `coinbase-spot:BTC-USD`. */
export function marketKey(venue: string, symbol: string): string {
  return `${venue}:${symbol}`;
}

/** The venue in a market's id. */
export function venueOf(market: string): string {
  return market.slice(0, market.indexOf(':'));
}

/** The symbol in a market's id. */
export function symbolOf(market: string): string {
  return market.slice(market.indexOf(':') + 1);
}

/** The name of a market in reports: its coin on the primary venue, else its id. */
export function shownMarket(market: string): string {
  return market.startsWith(`${PRIMARY_VENUE}:`) ? symbolOf(market) : market;
}

/** Range of the keys of all markets of a venue. */
export function marketsOf(venue: string): {
  readonly from: readonly [string];
  readonly to: readonly [string];
} {
  // ';' follows ':'.
  return { from: [`${venue}:`], to: [`${venue};`] };
}
