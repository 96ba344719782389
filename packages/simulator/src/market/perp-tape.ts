import type { Side } from '@crosstape/core';
import { Dice, logNormalTable, mix } from './noise.ts';
import { outlineOf } from './outline.ts';
import { SlotPlan, type SlotPlanOptions } from './slot-plan.ts';
import type { Outline, Tape, TapeDeal } from './tape.ts';

/** Cached slots: the current one, the previous one, and the span of a page of history. */
const SLOTS_REMEMBERED = 4;
const SIZE_SIGMA = 1.5;
const SIZE_FACTORS = logNormalTable(SIZE_SIGMA);
/** Mean of the size factors, so that sizes can be given by their mean. */
const SIZE_MEAN = Math.exp(SIZE_SIGMA ** 2 / 2);
/** Out of 256: a fill that belongs to the previous order, and an order that follows the previous one at once. */
const SAME_ORDER = 90;
const AT_ONCE = 80;
/** Time to an order that follows at once, against the usual time between two. */
const AT_ONCE_GAP = 0.03;
/** How often an order takes the side of the previous one. */
const SAME_SIDE = 0.55;
/** By which the next price of the book is worse. */
const LEVEL = 0.00002;

export interface ForcedDeal {
  readonly ts: number;
  readonly side: Side;
  readonly price: number;
  readonly size: number;
}

export interface PerpTapeOptions extends SlotPlanOptions {
  readonly salt: number;
  /** Average value of a trade. */
  readonly usdMean: number;
  readonly quote: (atMs: number) => { readonly bid: number; readonly ask: number };
  /** How many of the takers buy between two times, from 0 to 1. */
  readonly lean: (fromMs: number, toMs: number) => number;
  /** Forced orders with `fromMs <= ts < toMs`, oldest first. */
  readonly forced: (fromMs: number, toMs: number) => readonly ForcedDeal[];
}

/** The random part of a trade, before its price is looked up. */
interface Draw {
  readonly ts: number;
  readonly side: Side;
  readonly usd: number;
  /** The place of the order's first fill in the slot. */
  readonly order: number;
  /** Prices of the book that the order has used up before. */
  readonly level: number;
  readonly forced?: ForcedDeal;
}

/**
 * The trades of a perpetual on a secondary venue. Nothing runs in the background: a slot is drawn when one of its
 * trades is requested. Forced trades replace drawn ones, so that the count of a slot stays.
 */
export class PerpTape implements Tape {
  readonly #options: PerpTapeOptions;
  readonly #plan: SlotPlan;
  readonly #dice = new Dice();
  readonly #slots = new Map<number, readonly Draw[]>();

  constructor(options: PerpTapeOptions) {
    this.#options = options;
    this.#plan = new SlotPlan(options);
  }

  nextAt(atMs: number): number {
    const slot = this.#plan.slotAt(atMs);
    const draws = this.#drawsOf(slot);
    let [low, high] = [0, draws.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (draws[middle]!.ts < atMs) low = middle + 1;
      else high = middle;
    }
    return this.#plan.firstOf(slot) + low;
  }

  read(from: number, to: number): readonly TapeDeal[] {
    const deals: TapeDeal[] = [];
    let next = from;
    while (next < to) {
      const slot = this.#plan.slotOf(next);
      const first = this.#plan.firstOf(slot);
      const draws = this.#drawsOf(slot);
      const end = Math.min(to, first + draws.length);
      for (; next < end; next += 1) deals.push(this.#dealOf(draws[next - first]!, first, next));
    }
    return deals;
  }

  outline(fromMs: number, toMs: number): Outline {
    const { salt, usdMean, quote } = this.#options;
    const [first, next] = [this.#about(fromMs), this.#about(toMs)];
    const sizeOf = (usd: number, { price }: { readonly price: number }): number => usd / price;
    return outlineOf({ salt, fromMs, toMs, first, next, usdMean, sizeOf, quote });
  }

  /** The number of the first trade from a time on, were the trades of a slot at equal distances. */
  #about(atMs: number): number {
    const slot = this.#plan.slotAt(atMs);
    const part = atMs / this.#plan.slotMs - slot;
    return this.#plan.firstOf(slot) + Math.floor(this.#plan.countOf(slot) * part);
  }

  #dealOf({ ts, side, usd, order, level, forced }: Draw, first: number, number: number): TapeDeal {
    if (forced) return { ...forced, number, order: number, isLiquidation: true };
    const { bid, ask } = this.#options.quote(ts);
    const price = side === 'buy' ? ask * (1 + level * LEVEL) : bid * (1 - level * LEVEL);
    return { number, ts, side, price, size: usd / price, order: first + order, isLiquidation: false };
  }

  #drawsOf(slot: number): readonly Draw[] {
    const known = this.#slots.get(slot);
    if (known) return known;
    const draws = this.#draw(slot);
    const [oldest] = this.#slots.size < SLOTS_REMEMBERED ? [] : this.#slots.keys();
    if (oldest !== undefined) this.#slots.delete(oldest);
    this.#slots.set(slot, draws);
    return draws;
  }

  #draw(slot: number): readonly Draw[] {
    const { slotMs } = this.#plan;
    const startMs = slot * slotMs;
    const count = this.#plan.countOf(slot);
    const forced = this.#options.forced(startMs, startMs + slotMs).slice(0, count);
    const draws = this.#drawFree(slot, count - forced.length);
    if (forced.length === 0) return draws;
    const marked = forced.map((deal) => ({
      ts: deal.ts,
      side: deal.side,
      usd: 0,
      order: 0,
      level: 0,
      forced: deal,
    }));
    // Fills of one order may be parted by a forced trade, and then count as two orders.
    return orderAgain([...draws, ...marked].toSorted((a, b) => a.ts - b.ts));
  }

  /** Unforced trades: gaps between them are drawn, then stretched to fill the slot. */
  #drawFree(slot: number, count: number): readonly Draw[] {
    const { salt, usdMean, lean: leanOf } = this.#options;
    const { slotMs } = this.#plan;
    const startMs = slot * slotMs;
    const dice = this.#dice;
    dice.seed(mix(salt, slot));
    const lean = count > 0 ? leanOf(startMs, startMs + slotMs) : 0;
    const bits = new Int32Array(count);
    const ends = new Float64Array(count);
    let total = 0;
    for (let i = 0; i < count; i += 1) {
      const word = dice.bits();
      bits[i] = word;
      const kind = word & 0xff;
      if (i > 0 && kind < SAME_ORDER) ends[i] = total;
      else {
        const gap = -Math.log(1 - dice.next());
        total += kind < SAME_ORDER + AT_ONCE ? gap * AT_ONCE_GAP : gap;
        ends[i] = total;
      }
    }
    // The gap after the last trade.
    total += -Math.log(1 - dice.next());
    const draws: Draw[] = [];
    for (let i = 0; i < count; i += 1) {
      const word = bits[i]!;
      const usd = (usdMean / SIZE_MEAN) * SIZE_FACTORS[word >>> 20]!;
      const before = draws[i - 1];
      if (before && (word & 0xff) < SAME_ORDER) {
        draws.push({ ...before, usd, level: before.level + ((word >>> 8) & 1) });
        continue;
      }
      const ts = startMs + Math.floor((ends[i]! / total) * slotMs);
      const follows = before !== undefined && dice.next() < SAME_SIDE;
      const side = follows ? before.side : dice.next() < lean ? 'buy' : 'sell';
      draws.push({ ts, side, usd, order: i, level: 0 });
    }
    return draws;
  }
}

/** Numbers the orders of draws whose places have changed. */
function orderAgain(draws: readonly Draw[]): readonly Draw[] {
  let order = 0;
  return draws.map((draw, i) => {
    const before = draws[i - 1];
    const isSame = before !== undefined && !before.forced && !draw.forced && before.order === draw.order;
    if (!isSame) order = i;
    return { ...draw, order };
  });
}
