import { SLOT_MS } from './blocks.ts';
import { mix } from './noise.ts';

/** Slots in a stretch; one of them is busy. */
const STRETCH_SLOTS = 8;
/** A slot has at least this many trades: where few trade, it lasts longer. */
const SLOT_TRADES_MIN = 32;
const SLOT_MS_MAX = SLOT_MS * 2 ** 14;

export interface SlotPlanOptions {
  /** On average. */
  readonly tradesPerS: number;
  /** Trades of the busy slot of a stretch, in those of an average slot. Below the number of slots in a stretch. */
  readonly busy: number;
  /** Decides which slot of a stretch is the busy one: markets that share it are busy at the same time. */
  readonly busySalt: number;
}

/**
 * The number of trades in each slot of time, so that the number before any slot is known without counting: trades can
 * be numbered without gaps, and found by number, at any time.
 */
export class SlotPlan {
  readonly slotMs: number;
  readonly #calm: number;
  readonly #busy: number;
  readonly #busySalt: number;

  constructor({ tradesPerS, busy, busySalt }: SlotPlanOptions) {
    if (!(tradesPerS > 0)) throw new RangeError(`trades per second are above 0, not ${tradesPerS}`);
    let slotMs = SLOT_MS;
    while ((tradesPerS * slotMs) / 1000 < SLOT_TRADES_MIN && slotMs < SLOT_MS_MAX) slotMs *= 2;
    const usual = (tradesPerS * slotMs) / 1000;
    this.slotMs = slotMs;
    this.#calm = Math.max(1, Math.round((usual * (STRETCH_SLOTS - busy)) / (STRETCH_SLOTS - 1)));
    this.#busy = Math.max(1, Math.round(usual * busy));
    this.#busySalt = busySalt;
  }

  slotAt(atMs: number): number {
    return Math.floor(atMs / this.slotMs);
  }

  /** Trades in a slot. */
  countOf(slot: number): number {
    const stretch = Math.floor(slot / STRETCH_SLOTS);
    return slot - stretch * STRETCH_SLOTS === this.#busyIn(stretch) ? this.#busy : this.#calm;
  }

  /** The number of the first trade of a slot. */
  firstOf(slot: number): number {
    const stretch = Math.floor(slot / STRETCH_SLOTS);
    const place = slot - stretch * STRETCH_SLOTS;
    const extra = place > this.#busyIn(stretch) ? this.#busy - this.#calm : 0;
    return stretch * this.#perStretch + place * this.#calm + extra;
  }

  /** The slot of the trade with a number. */
  slotOf(number: number): number {
    const stretch = Math.floor(number / this.#perStretch);
    const rest = number - stretch * this.#perStretch;
    const busyAt = this.#busyIn(stretch);
    const busyFirst = busyAt * this.#calm;
    let place = Math.floor(rest / this.#calm);
    if (rest >= busyFirst + this.#busy) place = Math.floor((rest - this.#busy) / this.#calm) + 1;
    else if (rest >= busyFirst) place = busyAt;
    return stretch * STRETCH_SLOTS + place;
  }

  get #perStretch(): number {
    return (STRETCH_SLOTS - 1) * this.#calm + this.#busy;
  }

  #busyIn(stretch: number): number {
    return (mix(this.#busySalt, stretch) >>> 0) % STRETCH_SLOTS;
  }
}
