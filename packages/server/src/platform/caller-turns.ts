import type { Clock } from '@crosstape/core';
import { FairQueue } from './fair-queue.ts';

export interface CallerTurnsOptions {
  readonly clock: Clock;
  /** Turns of all callers at a time, and those of one of them. */
  readonly turnsMax: number;
  readonly perCallerMax: number;
  /** How long a further one waits, and how many of one caller do. */
  readonly waitMs: number;
  readonly waitingPerCallerMax: number;
}

/** A bounded number of turns at a time. One caller cannot have all of them. */
export class CallerTurns {
  readonly #options: CallerTurnsOptions;
  readonly #waiting = new FairQueue<() => void>();
  readonly #byCaller = new Map<string, number>();
  #taken = 0;

  constructor(options: CallerTurnsOptions) {
    this.#options = options;
  }

  /** Resolves with a function that ends the turn, or with `undefined` when none came in time or too many wait. */
  async take(caller: string): Promise<(() => void) | undefined> {
    if (this.#taken < this.#options.turnsMax && this.#hasShare(caller)) this.#begin(caller);
    else if (!(await this.#isTurn(caller))) return undefined;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#end(caller);
    };
  }

  #isTurn(caller: string): Promise<boolean> {
    const { clock, waitMs, waitingPerCallerMax } = this.#options;
    if (this.#waiting.sizeOf(caller) >= waitingPerCallerMax) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = clock.after(waitMs, () => {
        this.#waiting.remove(caller, go);
        resolve(false);
      });
      const go = (): void => {
        timer.cancel();
        this.#begin(caller);
        resolve(true);
      };
      this.#waiting.push(caller, go);
    });
  }

  #hasShare(caller: string): boolean {
    return (this.#byCaller.get(caller) ?? 0) < this.#options.perCallerMax;
  }

  #begin(caller: string): void {
    this.#taken += 1;
    this.#byCaller.set(caller, (this.#byCaller.get(caller) ?? 0) + 1);
  }

  #end(caller: string): void {
    this.#taken -= 1;
    const left = (this.#byCaller.get(caller) ?? 0) - 1;
    if (left > 0) this.#byCaller.set(caller, left);
    else this.#byCaller.delete(caller);
    this.#waiting.shift((one) => this.#hasShare(one))?.();
  }
}
