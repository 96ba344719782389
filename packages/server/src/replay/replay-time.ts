import type { Clock } from '@crosstape/core';

export interface ReplayTimeOptions {
  readonly clock: Clock;
  readonly fromMs: number;
  readonly toMs: number;
  readonly speed: number;
  /** Starts again at the end. */
  readonly isLooping: boolean;
}

/** Where in a capture a replay is. It stands at the beginning until it is started. */
export class ReplayTime {
  readonly #options: ReplayTimeOptions;
  #startedAtMs: number | undefined;

  constructor(options: ReplayTimeOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#startedAtMs !== undefined;
  }

  start(): void {
    this.#startedAtMs ??= this.#options.clock.now();
  }

  /** The time that the service has: it goes on after the end, and does not go back when the replay starts again. */
  get nowMs(): number {
    const { clock, fromMs, speed } = this.#options;
    return fromMs + (clock.now() - (this.#startedAtMs ?? clock.now())) * speed;
  }

  /** How often it has started again. */
  get round(): number {
    const { fromMs, toMs, isLooping } = this.#options;
    return isLooping ? Math.floor((this.nowMs - fromMs) / Math.max(1, toMs - fromMs)) : 0;
  }

  /** The time within the capture. */
  get positionMs(): number {
    const { fromMs, toMs } = this.#options;
    return this.nowMs - this.round * Math.max(1, toMs - fromMs);
  }
}
