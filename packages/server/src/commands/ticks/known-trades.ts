import type { Trade } from '@crosstape/core';

/** How many trades back a double is still noticed: a late trade follows its twin closely. */
const KNOWN_MAX = 100_000;

/** Notices a trade that comes twice; a trade is known by its venue time and id. */
export class KnownTrades {
  /** Sets keep the order in which they were filled. */
  readonly #known = new Set<string>();

  add({ ts, venueTs = ts, tid }: Pick<Trade, 'ts' | 'venueTs' | 'tid'>): void {
    const name = `${venueTs} ${tid}`;
    if (this.#known.has(name))
      throw new Error(`the trade with tid ${tid}, at ${new Date(venueTs).toISOString()}, is there twice`);
    this.#known.add(name);
    if (this.#known.size <= KNOWN_MAX) return;
    for (const oldest of this.#known) {
      this.#known.delete(oldest);
      return;
    }
  }
}
