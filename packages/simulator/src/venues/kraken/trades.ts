import type { TapeDeal } from '../../market/tape.ts';
import type { VenueMarket } from '../../market/venue-market.ts';
import type { TradeMarket, WireDeal } from '../trade-ledger.ts';
import { type Listing, priceOf, sizeOf } from './listing.ts';

/** Trades in a snapshot and in an answer. */
export const RECENT_MAX = 100;

export function tradeMarket(market: VenueMarket, { symbol, coin }: Listing): TradeMarket {
  return { symbol, tape: market.tape({ symbol, coin }) };
}

function typeOf({ isLiquidation }: WireDeal): 'fill' | 'liquidation' {
  return isLiquidation ? 'liquidation' : 'fill';
}

/** Made of its number, so that the same trade has the same one. */
function uidOf({ number }: WireDeal): string {
  const hex = number.toString(16).padStart(16, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-8000-${hex.padStart(24, '0').slice(-12)}`;
}

/**
 * {"feed":"trade","product_id":"PI_XBTUSD","uid":"05af78ac-…","side":"sell","type":"fill","seq":653355,
 *  "time":1612266317519,"qty":15000,"price":34969.5}; `seq` is consecutive per product.
 * https://docs.kraken.com/exchange/api-reference/futures-websocket/trade [D], the type [T]
 */
export function printTrade(listing: Listing, deal: WireDeal): object {
  return {
    feed: 'trade',
    product_id: listing.symbol,
    uid: uidOf(deal),
    side: deal.side,
    type: typeOf(deal),
    seq: deal.id,
    time: deal.ts,
    qty: sizeIn(listing, deal),
    price: priceOf(deal.price, listing),
  };
}

/** The same over REST. https://docs.kraken.com/api/docs/futures-api/trading/get-history [D] */
export function printHistory(listing: Listing, deal: WireDeal): object {
  return {
    time: new Date(deal.ts).toISOString(),
    trade_id: deal.id,
    price: priceOf(deal.price, listing),
    size: sizeIn(listing, deal),
    side: deal.side,
    type: typeOf(deal),
    uid: uidOf(deal),
  };
}

export function sizeIn(listing: Listing, { size }: TapeDeal): number {
  return Math.max(sizeOf(size, listing), 10 ** -listing.sizeDecimals);
}
