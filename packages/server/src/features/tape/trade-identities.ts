import type { VenueTrade } from '@crosstape/core';

/** A power of two. */
const SLOTS_MIN = 16;

/** What distinguishes a trade from others of its market. */
export type Identified = Pick<VenueTrade, 'venueTs' | 'tid' | 'side' | 'price' | 'size'>;

/**
 * Trades known by venue time and `tid`: 16 to 32 bytes each, where a set of texts takes 80. An open hash table; a slot
 * is empty where its `tid` is 0. Times are kept modulo 2^32 ms, which is 49 days.
 */
export class TradeIdentities {
  #times = new Uint32Array(SLOTS_MIN);
  #tids = new Float64Array(SLOTS_MIN);
  #size = 0;
  /** Old data has `tid` 0, which identifies nothing: there the trade itself is its identity. */
  #unnumbered: Set<string> | undefined;

  get size(): number {
    return this.#size + (this.#unnumbered?.size ?? 0);
  }

  has(trade: Identified): boolean {
    const { venueTs, tid } = trade;
    if (tid === 0) return this.#unnumbered?.has(textOf(trade)) ?? false;
    return this.#tids[this.#slotOf(venueTs, tid)] !== 0;
  }

  add(trade: Identified): void {
    const { venueTs, tid } = trade;
    if (tid === 0) {
      this.#unnumbered ??= new Set();
      this.#unnumbered.add(textOf(trade));
      return;
    }
    if (this.#insert(venueTs, tid) && 4 * this.#size > 3 * this.#tids.length) this.#grow();
  }

  /** The slot of the trade, or the empty one where it belongs. */
  #slotOf(venueTs: number, tid: number): number {
    const mask = this.#tids.length - 1;
    let slot = hashOf(venueTs, tid) & mask;
    const time = venueTs >>> 0;
    while (this.#tids[slot] !== 0 && (this.#tids[slot] !== tid || this.#times[slot] !== time))
      slot = (slot + 1) & mask;
    return slot;
  }

  #insert(venueTs: number, tid: number): boolean {
    const slot = this.#slotOf(venueTs, tid);
    if (this.#tids[slot] !== 0) return false;
    this.#times[slot] = venueTs;
    this.#tids[slot] = tid;
    this.#size += 1;
    return true;
  }

  #grow(): void {
    const [times, tids] = [this.#times, this.#tids];
    this.#times = new Uint32Array(2 * times.length);
    this.#tids = new Float64Array(2 * tids.length);
    this.#size = 0;
    for (let i = 0; i < tids.length; i += 1)
      if (tids[i] !== 0) this.#insert(times[i] as number, tids[i] as number);
  }
}

/**
 * Time and id are mixed apart before they are joined: ids that count and times rise together, and where both do by one, their
 * exclusive or takes a handful of values. Depends on the time modulo 2^32 only.
 */
export function hashOf(venueTs: number, tid: number): number {
  const high = Math.floor(tid / 2 ** 32);
  const time = (venueTs + Math.imul(high, 0x27d4_eb2f)) | 0;
  let hash = Math.imul(tid | 0, 0x9e37_79b1) ^ Math.imul(time, 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d);
  return hash ^ (hash >>> 12);
}

function textOf({ venueTs, side, price, size }: Identified): string {
  return `${venueTs}:${side}:${price}:${size}`;
}
