import type { Clock } from '@crosstape/core';

export interface ReplayTimeOptions {
  readonly clock: Clock;
  readonly fromMs: number;
  readonly toMs: number;
  readonly speed: number;
  /** Starts again at the end. */
  readonly isLooping: boolean;
}

/** The position of a replay in its capture. It stays at the beginning until it is started. */
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

  /** The service's time: it continues after the end, and does not go back when the replay starts again. */
  get nowMs(): number {
    const { clock, fromMs, speed } = this.#options;
    return fromMs + (clock.now() - (this.#startedAtMs ?? clock.now())) * speed;
  }

  /** Number of restarts. */
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
