import { CallerCounts } from '../platform/caller-counts.ts';
import { networkOf } from '../platform/client-address.ts';
import { Failure } from '../platform/errors.ts';

/** Limits of open streams: all callers, one network, and the default for one caller. */
export const STREAMS_MAX = 10_000;
export const STREAMS_PER_NETWORK = STREAMS_MAX / 2;
export const STREAMS_PER_CALLER = 200;
const RETRY_AFTER_SECONDS = 5;

/** Limits open streams; none are allowed after `close`. */
export class StreamSlots {
  readonly #byCaller = new CallerCounts();
  readonly #byNetwork = new CallerCounts();
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

  /** Throws a `Failure` if none is free. */
  take(caller: string): void {
    const network = networkOf(caller);
    const perNetworkMax = Math.max(this.#perCallerMax, STREAMS_PER_NETWORK);
    if (this.#isClosed) throw refusal('overloaded', 'The service is shutting down; connect again.');
    if (this.#open >= STREAMS_MAX)
      throw refusal('overloaded', `All ${STREAMS_MAX} streams of the service are in use; try again later.`);
    if (this.#byCaller.of(caller) >= this.#perCallerMax)
      throw refusal('rate_limited', `One address may have ${this.#perCallerMax} streams open at a time.`);
    if (this.#byNetwork.of(network) >= perNetworkMax)
      throw refusal('rate_limited', `One network may have ${perNetworkMax} streams open at a time.`);
    this.#open += 1;
    this.#byCaller.add(caller);
    this.#byNetwork.add(network);
  }

  giveBack(caller: string): void {
    this.#byCaller.remove(caller);
    this.#byNetwork.remove(networkOf(caller));
    this.#open -= 1;
    if (this.#open === 0) this.#onEmpty?.();
  }

  /** Refuses new streams; resolves when all have ended. */
  close(): Promise<void> {
    this.#isClosed = true;
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      if (this.#open === 0) resolve();
    });
  }
}

function refusal(code: 'overloaded' | 'rate_limited', text: string): Failure {
  return new Failure(code, text, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
