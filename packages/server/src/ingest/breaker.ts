import type { Clock, Random } from '@crosstape/core';
import { type BackoffRule, backoffMs } from '../platform/backoff.ts';
import { wasSetBack } from '../platform/set-back.ts';
import { SourceFailure } from './source-failure.ts';

/** Failures in a row after which a venue is left alone for a while. */
const FAILURES_MAX = 5;
const OPEN: BackoffRule = { firstMs: 4_000, maxMs: 30_000 };
/** How soon to retry while another request is probing. */
const PROBE_WAIT_MS = 1_000;

/**
 * Stops requests to a venue that does not answer. After a while one request may try (the probe): if it is answered all
 * may continue, else the delay grows. Any answer counts, also an error: only `down` is a failure here.
 */
export class Breaker {
  readonly #clock: Clock;
  readonly #random: Random;
  #failures = 0;
  #openUntilMs = 0;
  #failedMs = 0;
  #isProbing = false;

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  get #isOpen(): boolean {
    return this.#failures >= FAILURES_MAX;
  }

  /** Throws while no request may be made. */
  check(): void {
    if (!this.#isOpen) return;
    const nowMs = this.#clock.now();
    if (wasSetBack(this.#failedMs, nowMs)) this.#openUntilMs = 0;
    if (nowMs < this.#openUntilMs || this.#isProbing) {
      const retryAtMs = Math.max(this.#openUntilMs, nowMs + PROBE_WAIT_MS);
      throw new SourceFailure('down', `The venue did not respond ${this.#failures} times in a row.`, {
        retryAtMs,
        isUnsent: true,
      });
    }
  }

  async run<Result>(request: () => Promise<Result>): Promise<Result> {
    this.check();
    const isProbe = this.#isOpen;
    if (isProbe) this.#isProbing = true;
    try {
      const result = await request();
      this.#failures = 0;
      return result;
    } catch (error) {
      if (error instanceof SourceFailure && error.status !== 'down') this.#failures = 0;
      else this.#fail();
      throw error;
    } finally {
      if (isProbe) this.#isProbing = false;
    }
  }

  #fail(): void {
    this.#failures += 1;
    if (!this.#isOpen) return;
    this.#failedMs = this.#clock.now();
    this.#openUntilMs = this.#failedMs + backoffMs(this.#failures - FAILURES_MAX, OPEN, this.#random);
  }
}
