import { type DepthSide, type DepthSnapshot, midOf, timesTen } from './recorded-depth.ts';

/** Distances from the mid that depth is served for, in percent. */
const depthPercents = [0.25, 0.5, 1, 2] as const;

/** Resting orders within a distance of the mid. */
export interface DepthWithin {
  readonly percent: number;
  /** In the quote currency; null where the recorded levels end before that distance. */
  readonly bids: number | null;
  readonly asks: number | null;
  /** Of bids less asks in their sum: from −1 to 1. */
  readonly imbalance: number | null;
}

/** The depth of a snapshot within each distance. */
export function depthWithin(snapshot: DepthSnapshot): readonly DepthWithin[] {
  const { bids, asks, stepExponent, unitExponent } = snapshot;
  const mid = midOf(snapshot);
  const worth = (side: DepthSide, percent: number, sign: 1 | -1): number | null => {
    const sum = sumWithin(side, mid * (1 + (sign * percent) / 100), sign);
    return sum === undefined ? null : Math.round(timesTen(sum, stepExponent + unitExponent));
  };
  return depthPercents.map((percent) => {
    const [bid, ask] = [worth(bids, percent, -1), worth(asks, percent, 1)];
    const imbalance = bid === null || ask === null || bid + ask === 0 ? null : (bid - ask) / (bid + ask);
    return { percent, bids: bid, asks: ask, imbalance: imbalance && Number(imbalance.toFixed(4)) };
  });
}

/**
 * Price times size of a side up to a price, in steps and units; `undefined` where the levels end before it. Of a level
 * that contains the price, the share up to it.
 */
function sumWithin({ levels, isCut }: DepthSide, end: number, sign: 1 | -1): number | undefined {
  const last = levels.at(-1);
  if (isCut && (!last || sign * last.price < sign * end)) return undefined;
  let sum = 0;
  let previous = Number.NEGATIVE_INFINITY;
  for (const { price, width, size } of levels) {
    const to = sign * price;
    const from = Math.max(previous, to - width);
    const share = Math.min(1, Math.max(0, (sign * end - from) / (to - from)));
    sum += price * size * share;
    previous = to;
  }
  return sum;
}
