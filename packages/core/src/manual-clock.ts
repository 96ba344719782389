import type { Clock, Timer } from './clock.ts';

interface Pending {
  readonly dueMs: number;
  readonly order: number;
  readonly run: () => void;
  isCancelled: boolean;
}

/** A clock that only a test or a simulation advances. */
export class ManualClock implements Clock {
  #nowMs: number;
  #order = 0;
  /** A binary heap: each comes before its children. Cancelled timers stay until they are due. */
  readonly #heap: Pending[] = [];

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): Timer {
    const pending = this.#add(this.#nowMs + Math.max(0, delayMs), run);
    return {
      cancel: () => {
        pending.isCancelled = true;
      },
    };
  }

  every(periodMs: number, run: () => void): Timer {
    if (!(periodMs > 0)) throw new RangeError('a period is longer than 0 ms');
    const fire = (): void => {
      pending = this.#add(this.#nowMs + periodMs, fire);
      run();
    };
    let pending = this.#add(this.#nowMs + periodMs, fire);
    return {
      cancel: () => {
        pending.isCancelled = true;
      },
    };
  }

  /** Advances time and runs timers on the way, in order of due time. */
  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (let next = this.#heap[0]; next !== undefined && next.dueMs <= untilMs; next = this.#heap[0]) {
      this.#removeFirst();
      if (next.isCancelled) continue;
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.run();
    }
    this.#nowMs = untilMs;
  }

  #add(dueMs: number, run: () => void): Pending {
    const pending = { dueMs, order: this.#order++, run, isCancelled: false };
    const heap = this.#heap;
    let at = heap.push(pending) - 1;
    for (; at > 0; ) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt] as Pending;
      if (isBefore(parent, pending)) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = pending;
    return pending;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop() as Pending;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let childAt = 2 * at + 1;
      if (childAt >= heap.length) break;
      const right = heap[childAt + 1];
      if (right && isBefore(right, heap[childAt] as Pending)) childAt += 1;
      const child = heap[childAt] as Pending;
      if (isBefore(last, child)) break;
      heap[at] = child;
      at = childAt;
    }
    heap[at] = last;
  }
}

function isBefore(a: Pending, b: Pending): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}
