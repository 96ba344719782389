/** Levels whose best price is further from the mid than this share are not recorded. */
export const REACH = 0.025;

/**
 * What rests at `price` or less than `width` closer to the mid, behind the previous level. Prices and widths are whole
 * multiples of the step of a snapshot, sizes of its unit.
 */
export interface DepthLevel {
  readonly price: number;
  /** A power of ten, which the price is a multiple of. */
  readonly width: number;
  readonly size: number;
}

export interface DepthSide {
  /** Best first, never empty: narrow ones near the mid, wider ones further out. */
  readonly levels: readonly DepthLevel[];
  /** Whether more rests behind the last level. */
  readonly isCut: boolean;
}

/** An order book at one time, as it is recorded. */
export interface DepthSnapshot {
  readonly t: number;
  /** The price step is this power of ten. */
  readonly stepExponent: number;
  /** The unit of sizes, in coins, is this power of ten. */
  readonly unitExponent: number;
  readonly bids: DepthSide;
  readonly asks: DepthSide;
}

/** A whole multiple of a power of ten, as the nearest decimal. */
export function timesTen(count: number, exponent: number): number {
  return exponent < 0 ? count / 10 ** -exponent : count * 10 ** exponent;
}

/** Halfway between the best prices, in steps. */
export function midOf({ bids, asks }: Pick<DepthSnapshot, 'bids' | 'asks'>): number {
  return ((bids.levels[0]?.price ?? 0) + (asks.levels[0]?.price ?? 0)) / 2;
}
