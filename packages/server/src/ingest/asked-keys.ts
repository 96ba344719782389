/** A key that was asked for is kept warm for so many cadences. */
const DEMAND_CADENCES = 5;
/** More keys than this are not kept warm: those that nobody asked for the longest are forgotten. */
const ASKED_MAX = 1_000;

/** The keys that somebody asked for of late. */
export class AskedKeys {
  readonly #everyMs: number;
  /** Until when each is wanted; the one asked for last comes last. */
  readonly #untilMs = new Map<string, number>();

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  add(keys: readonly string[], nowMs: number): void {
    for (const key of keys) {
      this.#untilMs.delete(key);
      this.#untilMs.set(key, nowMs + DEMAND_CADENCES * this.#everyMs);
    }
    for (const key of this.#untilMs.keys()) {
      if (this.#untilMs.size <= ASKED_MAX) return;
      this.#untilMs.delete(key);
    }
  }

  at(nowMs: number): readonly string[] {
    for (const [key, untilMs] of this.#untilMs) if (untilMs < nowMs) this.#untilMs.delete(key);
    return [...this.#untilMs.keys()];
  }
}
