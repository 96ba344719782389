import { Failure } from '../platform/errors.ts';

/** Open streams of all callers, and the default for one. */
export const STREAMS_MAX = 10_000;
export const STREAMS_PER_CALLER = 200;
const RETRY_AFTER_SECONDS = 5;

/** Who may have a stream open: a bounded number, none once it is closed. */
export class StreamSlots {
  readonly #taken = new Map<string, number>();
  readonly #perCallerMax: number;
  #open = 0;
  #isClosed = false;
  #onEmpty: (() => void) | undefined;

  constructor(perCallerMax = STREAMS_PER_CALLER) {
    this.#perCallerMax = perCallerMax;
  }

  get open(): number {
    return this.#open;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Throws a `Failure` when there is none left. */
  take(caller: string): void {
    const own = this.#taken.get(caller) ?? 0;
    const retryAfterSeconds = RETRY_AFTER_SECONDS;
    if (this.#isClosed) {
      throw new Failure('overloaded', 'The service is shutting down; connect again.', { retryAfterSeconds });
    }
    if (this.#open >= STREAMS_MAX) {
      throw new Failure(
        'overloaded',
        `All ${STREAMS_MAX} streams of the service are taken; try again later.`,
        {
          retryAfterSeconds,
        },
      );
    }
    if (own >= this.#perCallerMax) {
      throw new Failure(
        'rate_limited',
        `One address may have ${this.#perCallerMax} streams open at a time.`,
        {
          retryAfterSeconds,
        },
      );
    }
    this.#open += 1;
    this.#taken.set(caller, own + 1);
  }

  giveBack(caller: string): void {
    const own = (this.#taken.get(caller) ?? 0) - 1;
    if (own > 0) this.#taken.set(caller, own);
    else this.#taken.delete(caller);
    this.#open -= 1;
    if (this.#open === 0) this.#onEmpty?.();
  }

  /** Gives out no more; resolves when all are given back. */
  close(): Promise<void> {
    this.#isClosed = true;
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      if (this.#open === 0) resolve();
    });
  }
}
