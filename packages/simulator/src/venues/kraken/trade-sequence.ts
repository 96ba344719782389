import type { VenueDeal, VenueMarket } from '../../market/venue-market.ts';
import { perMarket } from '../per-market.ts';
import { type Listing, listingsOf } from './listing.ts';

/** Before what is first asked for: the snapshot of a later subscription may begin so much earlier. */
const BEFORE_MS = 600_000;
/** Trades of a product whose numbers are remembered; a snapshot has a hundred. */
const REMEMBERED_MAX = 5_000;
/** After a time in which nobody was subscribed, numbers go on as if so many trades had happened. */
const UNSEEN = 1_000;
const FIRST = 600_000;

/** A deal with its number in the product. */
export interface NumberedDeal {
  readonly deal: VenueDeal;
  readonly seq: number;
}

interface Numbering {
  /** Everything before is numbered. */
  untilMs: number;
  next: number;
  /** By id of the deal, oldest first. */
  readonly seqs: Map<number, number>;
}

const numberingsOf = perMarket(
  (market) =>
    new Map<string, Numbering>(
      listingsOf(market).map(({ symbol }) => [
        symbol,
        { untilMs: Number.NEGATIVE_INFINITY, next: FIRST, seqs: new Map<number, number>() },
      ]),
    ),
);

/**
 * The deals of a product in a range with their `seq`: consecutive per product [D], and the same on every socket. The
 * market numbers its deals with gaps, so they are counted here as they are first asked for.
 */
export function numberedDeals(
  market: VenueMarket,
  { symbol, coin }: Listing,
  fromMs: number,
  toMs: number,
): readonly NumberedDeal[] {
  const numbering = numberingsOf(market).get(symbol);
  if (!numbering) return [];
  if (numbering.untilMs < toMs) {
    const startMs = Math.max(numbering.untilMs, toMs - BEFORE_MS);
    if (startMs > numbering.untilMs) numbering.next += UNSEEN;
    for (const { id } of market.deals(coin, startMs, toMs)) numbering.seqs.set(id, numbering.next++);
    numbering.untilMs = toMs;
    for (const id of numbering.seqs.keys()) {
      if (numbering.seqs.size <= REMEMBERED_MAX) break;
      numbering.seqs.delete(id);
    }
  }
  return market.deals(coin, fromMs, toMs).flatMap((deal) => {
    const seq = numbering.seqs.get(deal.id);
    return seq === undefined ? [] : [{ deal, seq }];
  });
}
