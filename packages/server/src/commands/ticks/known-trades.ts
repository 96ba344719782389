import type { Trade } from '@crosstape/core';

/** How many trades back a duplicate is detected: a late trade follows its duplicate closely. */
const KNOWN_MAX = 100_000;

/** Detects duplicate trades by venue time and id. */
export class KnownTrades {
  readonly #known = new Set<string>();
  /** The same as a ring buffer, to remove the oldest. */
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
