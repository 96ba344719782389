import type { VenueMarket } from '../../market/venue-market.ts';
import type { TradeMarket, WireDeal } from '../trade-ledger.ts';
import { contractsOf, type Listing, priceOf } from './listing.ts';

export const DEALS_MAX = 100;

/** The inverse contract of a coin has a small part of its trades, and none that are forced. */
const INVERSE_PART = 0.05;

export function tradeMarket(market: VenueMarket, { symbol, coin, quoteCoin }: Listing): TradeMarket {
  const isMain = quoteCoin === 'USDT';
  const part = isMain ? 1 : INVERSE_PART;
  return { symbol, tape: market.tape({ symbol, coin, part, takes: () => isMain }) };
}

/**
 * {"p":114350.4,"v":4,"T":2,"O":3,"M":2,"t":1760368563597,"i":"13064218826"}: contracts; `T` 1 when the taker bought;
 * `O` 1 opens, 2 reduces, 3 neither; `M` 1 when a client traded with itself. Over REST there is no id [C, T].
 */
export function printDeal(listing: Listing, deal: WireDeal): object {
  return { ...printPast(listing, deal), i: String(deal.id) };
}

export function printPast(listing: Listing, deal: WireDeal): object {
  return {
    p: priceOf(deal.price, listing),
    v: Math.max(1, contractsOf(deal.size, deal.price, listing)),
    T: deal.side === 'buy' ? 1 : 2,
    O: 1 + (deal.number % 3),
    M: 2,
    t: deal.ts,
  };
}
