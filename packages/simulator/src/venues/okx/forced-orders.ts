import type { VenueDeal, VenueMarket } from '../../market/venue-market.ts';
import { plainDecimal } from '../plain-decimal.ts';
import type { Question, Reply } from '../wire.ts';
import { failure, success } from './envelope.ts';
import { contractsOf, type Listing, liveListings, mainListing, printPrice } from './listing.ts';

const ROWS_MAX = 100;
/** How far back it answers. */
const REACH_MS = 24 * 3_600_000;
/** An order appears this long after it was on the socket [M]. */
const LAG_MS = 69 * 60_000;
/** Read at a time, the newest first: trades are dear to read. */
const SLICE_MS = 60_000;
/** The least that can be closed, in contracts. */
const LOT = 0.01;

/**
 * The forced orders of a family, newest first, those before `after` if given [K], without those of the last 69 minutes.
 * Without a family: 50015 [M]. The contracts in USDC have none here.
 */
export function answerForcedOrders({ market, nowMs, query }: Question): Reply {
  const family = query.get('instFamily') ?? query.get('uly');
  if (family === null) return failure('50015', 'Either parameter uly or instFamily is required', 400);
  const limit = Number(query.get('limit') ?? ROWS_MAX);
  const beforeMs = Number(query.get('after') ?? nowMs);
  if (!Number.isInteger(limit) || limit < 1 || limit > ROWS_MAX)
    return failure('51000', 'Parameter limit error', 400);
  if (!Number.isInteger(beforeMs)) return failure('51000', 'Parameter after error', 400);
  const listing = liveListings(market).find(({ uly }) => uly === family);
  if (!listing) return failure('51001', "Instrument ID, Instrument ID code, or Spread ID doesn't exist.");
  const isMain = mainListing(listing.coin).instId === listing.instId;
  const orders = isMain ? newestOrders(market, listing, { beforeMs, nowMs, limit }) : [];
  return success(orders.length > 0 ? [printOrder(listing, orders)] : []);
}

function newestOrders(
  market: VenueMarket,
  { coin }: Listing,
  { beforeMs, nowMs, limit }: { readonly beforeMs: number; readonly nowMs: number; readonly limit: number },
): readonly VenueDeal[] {
  const orders: VenueDeal[] = [];
  let toMs = Math.min(beforeMs, nowMs - LAG_MS);
  while (orders.length < limit && toMs > nowMs - REACH_MS) {
    const fromMs = Math.max(toMs - SLICE_MS, nowMs - REACH_MS);
    orders.push(...market.liquidations(coin, fromMs, toMs).toReversed());
    toMs = fromMs;
  }
  return orders.slice(0, limit);
}

/** Orders of one swap as the venue prints them, on the socket and in answers. */
export function printOrder(listing: Listing, orders: readonly VenueDeal[]): object {
  return {
    details: orders.map(({ price, size, side, ts }) => ({
      bkLoss: '0',
      bkPx: printPrice(price, listing),
      ccy: '',
      posSide: side === 'sell' ? 'long' : 'short',
      side,
      sz: plainDecimal(Math.max(LOT, contractsOf(size, price, listing)), 2),
      ts: String(Math.floor(ts)),
    })),
    instFamily: listing.uly,
    instId: listing.instId,
    instType: 'SWAP',
    uly: listing.uly,
  };
}
