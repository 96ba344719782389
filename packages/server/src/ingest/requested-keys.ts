/** More keys than this are not kept warm: those not requested for the longest time are dropped. */
const REQUESTED_MAX = 1_000;

/** The keys that were requested lately. */
export class RequestedKeys {
  readonly #keepMs: number;
  /** Expiry of each; the last requested comes last. */
  readonly #untilMs = new Map<string, number>();

  /** A key expires this long after it was requested. */
  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  /** The first of them is requested first. */
  add(keys: readonly string[], nowMs: number): void {
    for (const key of keys.toReversed()) {
      this.#untilMs.delete(key);
      this.#untilMs.set(key, nowMs + this.#keepMs);
    }
    for (const key of this.#untilMs.keys()) {
      if (this.#untilMs.size <= REQUESTED_MAX) return;
      this.#untilMs.delete(key);
    }
  }

  delete(key: string): void {
    this.#untilMs.delete(key);
  }

  /** The last requested comes first: its caller is still waiting. */
  at(nowMs: number): readonly string[] {
    for (const [key, untilMs] of this.#untilMs)
      if (untilMs < nowMs) this.#untilMs.delete(key);
      // Later than a request of now would set it: the clock was set back.
      else if (untilMs > nowMs + this.#keepMs) this.#untilMs.set(key, nowMs + this.#keepMs);
    return [...this.#untilMs.keys()].toReversed();
  }
}
