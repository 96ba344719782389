import type { Side } from './records.ts';

/** A trade of any venue, in the venue's own unit, before it is added to the market's tape. */
export interface MarketTrade {
  /** `Market.symbol`. */
  readonly symbol: string;
  /** The taker's side. */
  readonly side: Side;
  /** Prints the venue's decimals, like the size, which is in contracts if the venue counts those. */
  readonly price: number;
  readonly size: number;
  /** The venue's time in ms. */
  readonly venueTs: number;
  /**
   * Distinguishes the trade from others of its market with the same time: the venue's id if it is an integer below
   * 2^53, else a hash of it (`hashedId`).
   */
  readonly tid: number;
  /** Its sequence number, if that is not `tid` (`TradeFeed.ids`). */
  readonly seq?: number;
  /**
   * Fills that the venue merged into this trade, if reported: it takes up this many sequence numbers and has the last.
   */
  readonly count?: number;
  /** Fills of one taker order share it. */
  readonly order?: string | undefined;
}

/** A 53-bit hash of an id that is not an integer below 2^53, such as a UUID; the same on every machine. */
export function hashedId(text: string): number {
  let a = 0x811c9dc5;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return (b >>> 11) * 2 ** 32 + (a >>> 0);
}
