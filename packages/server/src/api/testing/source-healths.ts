import type { Clock, SourceHealth, SourceStatus } from '@crosstape/core';
import type { SourceRef } from '../../health/feed-state.ts';
import type { Bus } from '../../platform/bus.ts';
import { healthTopic } from '../../topics.ts';

/** The health of sources as an ingester publishes it, controlled by a test. */
export class SourceHealths {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #byPublisher = new Map<string, Map<string, SourceHealth>>();

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
  }

  /** Publishes the health of a source; with `ok`, without an error. */
  turn({ publisher, gives }: SourceRef, status: SourceStatus, error = `It is ${status}.`): void {
    const own = this.#byPublisher.get(publisher) ?? new Map<string, SourceHealth>();
    this.#byPublisher.set(publisher, own);
    const nowMs = this.#clock.now();
    const failingSinceMs = own.get(gives)?.failingSinceMs ?? nowMs;
    own.set(gives, {
      source: `${publisher}:${gives}`,
      venue: publisher,
      gives: [gives],
      status,
      sinceMs: nowMs,
      ...(status === 'ok' && { lastGoodMs: nowMs }),
      messages: 1,
      refused: 0,
      reconnects: 0,
      ...(status !== 'ok' && { error, failingSinceMs }),
    });
    this.#bus.publish(healthTopic(publisher), [...own.values()]);
  }
}
