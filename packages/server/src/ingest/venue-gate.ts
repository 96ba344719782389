import type { Clock, Random } from '@crosstape/core';
import type { Connector } from '@crosstape/venues';
import { type BackoffRule, backoffMs } from '../platform/backoff.ts';
import { wasSetBack } from '../platform/set-back.ts';
import { Budget } from '../platform/budget.ts';
import { parseRetryAfterMs } from './retry-after.ts';
import { SourceFailure, statusOfHttp } from './source-failure.ts';

/** The pause after a rate limit that names no time. */
const PAUSE: BackoffRule = { firstMs: 10_000, maxMs: 300_000 };
const FORBIDDEN = 403;

/** Until when an address refuses us: everything at the address shares this. */
export interface Ban {
  untilMs: number;
  /** When it began. */
  sinceMs: number;
}

export interface VenueGateOptions {
  readonly connector: Connector;
  readonly clock: Clock;
  readonly random: Random;
  /** For its address; default: its own. */
  readonly ban?: Ban;
}

/** What a venue allows: its documented limits, and the pauses that it requests. All traffic to it passes here. */
export class VenueGate {
  readonly requests: Budget;
  readonly connections: Budget;
  readonly messages: Budget;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #forbiddenMs: number | undefined;
  readonly #ban: Ban;
  #firstRetriesLeft: number;
  #pausedUntilMs = 0;
  #pausedSinceMs = 0;
  #pauses = 0;
  #calmFromMs = 0;

  constructor({ connector, clock, random, ban = { untilMs: 0, sinceMs: 0 } }: VenueGateOptions) {
    const { limits, resources, lookups = [] } = connector;
    this.#clock = clock;
    this.#random = random;
    this.#forbiddenMs = limits.forbiddenMs;
    this.#ban = ban;
    this.#firstRetriesLeft = limits.firstRetries ?? 0;
    const weightMax = Math.max(1, ...[...resources, ...lookups].map(({ weight }) => weight));
    const { weightPerMinute: perMinute, weightAtOnce: atOnce } = limits;
    this.requests = new Budget({ clock, perMinute, atOnce, weightMax });
    this.connections = new Budget({ clock, perMinute: limits.connectionsPerMinute });
    this.messages = new Budget({
      clock,
      perMinute: limits.messagesPerMinute,
      atOnce: limits.messagesAtOnce,
    });
  }

  /** Takes one of the spare requests of its quota, for first requests that failed; false if none is left. */
  takeFirstRetry(): boolean {
    if (this.#firstRetriesLeft === 0) return false;
    this.#firstRetriesLeft -= 1;
    return true;
  }

  /** Throws while the venue has asked us to pause. */
  check(): void {
    const nowMs = this.#clock.now();
    if (nowMs < this.#ban.untilMs && !wasSetBack(this.#ban.sinceMs, nowMs)) throw this.#banned(true);
    const retryAtMs = this.#pausedUntilMs;
    if (nowMs >= retryAtMs || wasSetBack(this.#pausedSinceMs, nowMs)) return;
    const until = new Date(retryAtMs).toISOString();
    throw new SourceFailure('limited', `The venue asked us to wait until ${until}.`, {
      retryAtMs,
      isUnsent: true,
    });
  }

  /** The venue answered with an HTTP status other than success. */
  refused(httpStatus: number, retryAfter?: string | null): SourceFailure {
    const status = statusOfHttp(httpStatus);
    if (status === 'limited') return this.limited(`HTTP ${httpStatus}`, retryAfter);
    if (httpStatus !== FORBIDDEN || this.#forbiddenMs === undefined)
      return new SourceFailure(status, `The venue answered HTTP ${httpStatus}.`);
    this.#ban.sinceMs = this.#clock.now();
    this.#ban.untilMs = this.#ban.sinceMs + this.#forbiddenMs;
    return this.#banned();
  }

  #banned(isUnsent = false): SourceFailure {
    const { untilMs: retryAtMs } = this.#ban;
    const until = new Date(retryAtMs).toISOString();
    const why = `The venue answered HTTP ${FORBIDDEN}: nothing is asked until ${until}.`;
    return new SourceFailure(statusOfHttp(FORBIDDEN), why, { retryAtMs, isUnsent });
  }

  /** The venue answered. An earlier rate limit is over once no other occurred for the length of its pause. */
  answered(): void {
    const nowMs = this.#clock.now();
    if (nowMs >= this.#calmFromMs || wasSetBack(this.#pausedSinceMs, nowMs)) this.#pauses = 0;
  }

  /** The venue reported too many requests: nothing is sent for as long as it asks. */
  limited(why: string, retryAfter?: string | null): SourceFailure {
    const nowMs = this.#clock.now();
    const askedMs = parseRetryAfterMs(retryAfter, nowMs);
    if (wasSetBack(this.#pausedSinceMs, nowMs)) this.#pausedUntilMs = 0;
    // Concurrent requests are limited together: that is one pause.
    if (nowMs >= this.#pausedUntilMs) this.#pauses += 1;
    this.#pausedSinceMs = nowMs;
    const waitMs = askedMs ?? backoffMs(Math.max(0, this.#pauses - 1), PAUSE, this.#random);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + waitMs);
    this.#calmFromMs = this.#pausedUntilMs + waitMs;
    return new SourceFailure('limited', `The venue limits us (${why}).`, {
      retryAtMs: this.#pausedUntilMs,
    });
  }
}
