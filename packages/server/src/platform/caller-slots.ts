import type { Clock } from '@crosstape/core';
import { networkOf } from './client-address.ts';
import { CallerCounts } from './caller-counts.ts';
import { Failure } from './errors.ts';
import { FairQueue } from './fair-queue.ts';

const RETRY_AFTER_SECONDS = 5;

export interface CallerSlotsOptions {
  readonly clock: Clock;
  /** Concurrent slots of all callers, and of one of them. */
  readonly slotsMax: number;
  readonly perCallerMax: number;
  /** How long a call waits for a slot, and how many calls of one caller wait. */
  readonly waitMs: number;
  readonly waitingPerCallerMax: number;
}

/** A bounded number of concurrent slots. A caller cannot take all of them, and a network not more than half. */
export class CallerSlots {
  readonly #options: CallerSlotsOptions;
  readonly #waiting = new FairQueue<() => void>();
  readonly #byCaller = new CallerCounts();
  readonly #byNetwork = new CallerCounts();
  #taken = 0;

  constructor(options: CallerSlotsOptions) {
    this.#options = options;
  }

  /**
   * Resolves with a function that releases the slot, or with `undefined` when none became free in time or too many
   * wait.
   */
  async take(caller: string): Promise<(() => void) | undefined> {
    if (this.#taken < this.#options.slotsMax && this.#hasShare(caller)) this.#begin(caller);
    else if (!(await this.#isTurn(caller))) return undefined;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#end(caller);
    };
  }

  /** Does work in a slot. Throws a `Failure` that there are too many of `what` when none became free. */
  async run<Result>(caller: string, what: string, work: () => Promise<Result>): Promise<Result> {
    const end = await this.take(caller);
    if (!end)
      throw new Failure('overloaded', `Too many concurrent reads of ${what}.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    try {
      return await work();
    } finally {
      end();
    }
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
    const { slotsMax, perCallerMax } = this.#options;
    const perNetworkMax = Math.max(perCallerMax, slotsMax / 2);
    return this.#byCaller.of(caller) < perCallerMax && this.#byNetwork.of(networkOf(caller)) < perNetworkMax;
  }

  #begin(caller: string): void {
    this.#taken += 1;
    this.#byCaller.add(caller);
    this.#byNetwork.add(networkOf(caller));
  }

  #end(caller: string): void {
    this.#taken -= 1;
    this.#byCaller.remove(caller);
    this.#byNetwork.remove(networkOf(caller));
    this.#waiting.shift((one) => this.#hasShare(one))?.();
  }
}
