import type { Clock, Timer } from './clock.ts';

interface Pending {
  readonly dueMs: number;
  readonly order: number;
  readonly periodMs: number | undefined;
  readonly run: () => void;
}

/** A clock that only a test or a simulation advances. */
export class ManualClock implements Clock {
  #nowMs: number;
  #order = 0;
  readonly #pending = new Set<Pending>();

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): Timer {
    return this.#schedule(delayMs, undefined, run);
  }

  every(periodMs: number, run: () => void): Timer {
    if (!(periodMs > 0)) throw new RangeError('a period is longer than 0 ms');
    return this.#schedule(periodMs, periodMs, run);
  }

  /** Moves time on, running whatever falls due on the way, in order of due time. */
  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (let next = this.#earliest(untilMs); next !== undefined; next = this.#earliest(untilMs)) {
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      this.#pending.delete(next);
      next.run();
    }
    this.#nowMs = untilMs;
  }

  #schedule(delayMs: number, periodMs: number | undefined, run: () => void): Timer {
    let cancelled = false;
    let current: Pending;
    const add = (dueMs: number): void => {
      current = { dueMs, order: this.#order++, periodMs, run: fire };
      this.#pending.add(current);
    };
    const fire = (): void => {
      if (periodMs !== undefined) add(this.#nowMs + periodMs);
      if (!cancelled) run();
    };
    add(this.#nowMs + Math.max(0, delayMs));
    return {
      cancel: () => {
        cancelled = true;
        this.#pending.delete(current);
      },
    };
  }

  #earliest(untilMs: number): Pending | undefined {
    let best: Pending | undefined;
    for (const one of this.#pending) {
      if (one.dueMs > untilMs) continue;
      if (!best || one.dueMs < best.dueMs || (one.dueMs === best.dueMs && one.order < best.order)) best = one;
    }
    return best;
  }
}
