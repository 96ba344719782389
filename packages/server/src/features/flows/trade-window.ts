import type { Side } from '@crosstape/core';

export const TRADE_WINDOW_MS = 300_000;
/** A print of at least this value counts as large. */
export const LARGE_PRINT_USD = 10_000;
/** Sums are integers, so that they do not drift: hundredths of a cent, up to 900 billion dollars. */
const UNITS_PER_USD = 10_000;
const LARGE_UNITS = LARGE_PRINT_USD * UNITS_PER_USD;
/** Expired slots are removed when there are this many. */
const TRIM_SLOTS = 1_024;

export interface WindowTrade {
  readonly ts: number;
  readonly side: Side;
  readonly notionalUsd: number;
  /** Belongs to the same taker order as the trade before it. */
  readonly sameOrder: boolean;
}

/** Totals within the window. */
export interface WindowSums {
  readonly volumeUsd: number;
  /** Taker buys less taker sells. */
  readonly netUsd: number;
  /** The sums of large prints only. */
  readonly largeNetUsd: number;
}

/** All trades of one millisecond, in units: so the window has at most one slot per millisecond. */
interface Slot {
  readonly ts: number;
  volume: number;
  net: number;
  largeNet: number;
}

/** The trades of the last five minutes of one coin on one venue, as running sums. */
export class TradeWindow {
  #slots: Slot[] = [];
  #head = 0;
  readonly #sums = { volume: 0, net: 0, largeNet: 0 };
  /** The part of the current order that was added. */
  #orderUnits = 0;

  /** Trades arrive roughly in order of time; one from the future counts as now. */
  add({ ts, side, notionalUsd, sameOrder }: WindowTrade, nowMs: number): void {
    const units = Math.round(notionalUsd * UNITS_PER_USD);
    const before = sameOrder ? this.#orderUnits : 0;
    this.#orderUnits = before + units;
    const atMs = Math.min(ts, nowMs);
    if (atMs <= nowMs - TRADE_WINDOW_MS) return;
    const sign = side === 'buy' ? 1 : -1;
    // The fill that makes an order large counts the earlier ones too.
    const large = this.#orderUnits < LARGE_UNITS ? 0 : before < LARGE_UNITS ? this.#orderUnits : units;
    const slot = this.#slotAt(atMs);
    slot.volume += units;
    slot.net += sign * units;
    slot.largeNet += sign * large;
    this.#sums.volume += units;
    this.#sums.net += sign * units;
    this.#sums.largeNet += sign * large;
  }

  /** Sums of trades with `ts > nowMs - TRADE_WINDOW_MS`. */
  sums(nowMs: number): WindowSums {
    this.#expire(nowMs - TRADE_WINDOW_MS);
    const { volume, net, largeNet } = this.#sums;
    return {
      volumeUsd: volume / UNITS_PER_USD,
      netUsd: net / UNITS_PER_USD,
      largeNetUsd: largeNet / UNITS_PER_USD,
    };
  }

  #slotAt(ts: number): Slot {
    const last = this.#slots.at(-1);
    if (last?.ts === ts) return last;
    let at = this.#slots.length;
    while (at > this.#head && (this.#slots[at - 1] as Slot).ts > ts) at -= 1;
    const before = this.#slots[at - 1];
    if (at > this.#head && before?.ts === ts) return before;
    const slot = { ts, volume: 0, net: 0, largeNet: 0 };
    if (at === this.#slots.length) this.#slots.push(slot);
    else this.#slots.splice(at, 0, slot);
    return slot;
  }

  #expire(untilMs: number): void {
    for (; this.#head < this.#slots.length; this.#head += 1) {
      const slot = this.#slots[this.#head] as Slot;
      if (slot.ts > untilMs) break;
      this.#sums.volume -= slot.volume;
      this.#sums.net -= slot.net;
      this.#sums.largeNet -= slot.largeNet;
    }
    if (this.#head >= TRIM_SLOTS || this.#head === this.#slots.length) {
      this.#slots = this.#slots.slice(this.#head);
      this.#head = 0;
    }
  }
}
