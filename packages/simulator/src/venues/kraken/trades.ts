import type { VenueDeal, VenueMarket } from '../../market/venue-market.ts';
import { type Listing, priceOf, sizeOf } from './listing.ts';
import { type NumberedDeal, numberedDeals } from './trade-sequence.ts';

const RECENT_MS = 600_000;
const RECENT_MAX = 100;

function typeOf({ isLiquidation }: VenueDeal): 'fill' | 'liquidation' {
  return isLiquidation ? 'liquidation' : 'fill';
}

/** Made of its id, so that the same trade has the same one. */
function uidOf({ id }: VenueDeal): string {
  const hex = id.toString(16).padStart(16, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-8000-${hex.padStart(24, '0').slice(0, 12)}`;
}

/** The last hundred at most, newest first. */
export function recentDeals(listing: Listing, market: VenueMarket, nowMs: number): readonly NumberedDeal[] {
  return numberedDeals(market, listing, nowMs - RECENT_MS, nowMs)
    .slice(-RECENT_MAX)
    .toReversed();
}

/**
 * {"feed":"trade","product_id":"PI_XBTUSD","uid":"05af78ac-…","side":"sell","type":"fill","seq":653355,
 *  "time":1612266317519,"qty":15000,"price":34969.5}
 * https://docs.kraken.com/exchange/api-reference/futures-websocket/trade [D], the type [T]
 */
export function printTrade(listing: Listing, { deal, seq }: NumberedDeal): object {
  return {
    feed: 'trade',
    product_id: listing.symbol,
    uid: uidOf(deal),
    side: deal.side,
    type: typeOf(deal),
    seq,
    time: deal.ts,
    qty: Math.max(sizeOf(deal.size, listing), 10 ** -listing.sizeDecimals),
    price: priceOf(deal.price, listing),
  };
}

/** The same over REST. https://docs.kraken.com/api/docs/futures-api/trading/get-history [D] */
export function printHistory(listing: Listing, { deal }: NumberedDeal): object {
  return {
    time: new Date(deal.ts).toISOString(),
    trade_id: deal.id,
    price: priceOf(deal.price, listing),
    size: Math.max(sizeOf(deal.size, listing), 10 ** -listing.sizeDecimals),
    side: deal.side,
    type: typeOf(deal),
    uid: uidOf(deal),
  };
}
