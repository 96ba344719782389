import type { Trade } from '@crosstape/core';

/** How many trades back a double is still noticed: a late trade follows its twin closely. */
const KNOWN_MAX = 100_000;

/** Notices a trade that comes twice; a trade is known by its venue time and id. */
export class KnownTrades {
  readonly #known = new Set<string>();
  /** The same in a ring, so that the oldest is found to be forgotten. */
  readonly #order: string[] = [];
  #count = 0;

  add({ ts, venueTs = ts, tid }: Pick<Trade, 'ts' | 'venueTs' | 'tid'>): void {
    const name = `${venueTs} ${tid}`;
    if (this.#known.has(name))
      throw new Error(`the trade with tid ${tid}, at ${new Date(venueTs).toISOString()}, appears twice`);
    const at = this.#count % KNOWN_MAX;
    if (this.#count >= KNOWN_MAX) this.#known.delete(this.#order[at] as string);
    this.#order[at] = name;
    this.#known.add(name);
    this.#count += 1;
  }
}
