import type { SpotPrice } from '../spot/spot-prices.ts';

/** Prices that were received further apart than this are not compared. */
export const SKEW_MAX_MS = 2_000;
/**
 * How long a price stays available for comparison: a venue that is polled every 10 s is compared with the others'
 * quotes of the same moment.
 */
export const MOMENT_KEEP_MS = 12_000;

/** The price of one venue in a comparison. */
export interface MomentPrice extends SpotPrice {
  /** The longest time between its receipt and that of a price it is compared with. */
  readonly skewMs: number;
  /** It was received too long before or after the others: it is shown and left out of every figure. */
  readonly isSkewed: boolean;
}

/** Anything that was received at a time. */
export interface Received {
  readonly receivedAtMs: number;
}

/** Whether a price is used in medians and derived figures. */
export function isComparable({ isStale, isSkewed }: MomentPrice): boolean {
  return !isStale && !isSkewed;
}

/**
 * For each venue the price of one and the same moment: the newest one at which the most venues have a price. `recent` are
 * older prices of the same coin. A venue without one near that moment keeps its newest, which is skewed.
 */
export function sameMoment(
  newest: readonly SpotPrice[],
  recent: readonly SpotPrice[] = [],
): readonly MomentPrice[] {
  const usable = [...newest, ...recent].filter(({ isStale }) => !isStale);
  const moment = momentOf(usable);
  const chosen = newest.map((price) => moment.get(price.venue) ?? price);
  const compared = chosen.filter((price) => moment.get(price.venue) === price);
  return chosen.map((price) => {
    const skewMs = spreadMs([price, ...compared]);
    return { ...price, skewMs, isSkewed: skewMs > SKEW_MAX_MS };
  });
}

/** From the first of them that was received to the last. */
export function spreadMs(prices: readonly Received[]): number {
  if (prices.length === 0) return 0;
  const times = prices.map(({ receivedAtMs }) => receivedAtMs);
  return Math.max(...times) - Math.min(...times);
}

/**
 * By venue: the prices of the newest time span, at most a skew long, with the most venues. Among several, the one
 * nearest to the venue that was received first, which has no newer one there.
 */
function momentOf(prices: readonly SpotPrice[]): ReadonlyMap<string, SpotPrice> {
  const newestFirst = prices.toSorted((a, b) => b.receivedAtMs - a.receivedAtMs);
  let within: readonly SpotPrice[] = [];
  let venues = 0;
  for (const { receivedAtMs: endMs } of newestFirst) {
    const stretch = newestFirst.filter(
      ({ receivedAtMs }) => receivedAtMs <= endMs && endMs - receivedAtMs <= SKEW_MAX_MS,
    );
    const count = new Set(stretch.map(({ venue }) => venue)).size;
    if (count <= venues) continue;
    venues = count;
    within = stretch;
  }
  const newest = new Map(within.toReversed().map((price) => [price.venue, price.receivedAtMs]));
  const slowestMs = Math.min(...newest.values());
  // Oldest first before sorting: of two prices received in the same millisecond the newer one wins.
  const farthestFirst = within
    .toReversed()
    .toSorted((a, b) => Math.abs(b.receivedAtMs - slowestMs) - Math.abs(a.receivedAtMs - slowestMs));
  return new Map(farthestFirst.map((price) => [price.venue, price]));
}
