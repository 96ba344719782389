import type { Clock, ParsedTables, Random, Timer } from '@crosstape/core';
import { type BackoffRule, backoffMs } from '../platform/backoff.ts';
import { freshMsOf, NO_ANSWER_YET } from '../topics.ts';
import { briefly } from './refusals.ts';
import type { BadStatus, SourceFailure } from './source-failure.ts';
import type { SourceMeter } from './venue-health.ts';

/** A single failed request is not reported: it is repeated first. */
const DOWN_FAILURES = 2;

/** Retry delay of a request that was never sent, so that the venue did not count it. */
const unsentRule: BackoffRule = { firstMs: 60_000, maxMs: 1_800_000 };

/** Retry delay if the venue's quota has a spare request. */
const firstRetryRule: BackoffRule = { firstMs: 60_000, maxMs: 60_000 };
/** Failures after which a source that allows few requests, and never answered, waits for its whole cadence. */
const FIRST_FAILURES_MAX = 3;

/** How soon to poll again, by failure. Never later than the cadence, except behind a lasting bot-protection wall. */
const retryRules: Readonly<Record<BadStatus, BackoffRule>> = {
  down: { firstMs: 1_000, maxMs: 30_000 },
  stale: { firstMs: 1_000, maxMs: 30_000 },
  limited: { firstMs: 1_000, maxMs: 30_000 },
  changed: { firstMs: 5_000, maxMs: 300_000 },
  blocked: { firstMs: 30_000, maxMs: 300_000 },
};

/** Retry delays. `retryMs` and `firstRetryMs`: for a source that allows few requests. */
interface RetryTimes {
  readonly everyMs: number;
  readonly retryMs?: number | undefined;
  readonly firstRetryMs?: number | undefined;
}

/** For a source that has never answered, not even before a restart. */
interface FirstAnswer {
  /** Requests in a row that failed, this one included. */
  readonly failures: number;
  /** Takes one of the spare requests of the venue's quota; false if none is left. */
  readonly takeRetry: () => boolean;
}

export interface PollHealthOptions extends RetryTimes {
  readonly meter: SourceMeter;
  /** How old its newest value may be, where that is not three cadences. */
  readonly freshMs?: number | undefined;
  /** Failures in a row before the start. */
  readonly failuresBefore?: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** Derives the health of a polled source from its responses, and when to poll it again. */
export class PollHealth {
  readonly #options: PollHealthOptions;
  #failures: number;
  #staleTimer: Timer | undefined;

  constructor(options: PollHealthOptions) {
    this.#options = options;
    this.#failures = options.failuresBefore ?? 0;
  }

  get meter(): SourceMeter {
    return this.#options.meter;
  }

  /**
   * An answer that the source made at `asOfMs`: from a stale cache it can be old when it arrives. Some of its tables
   * may not have been parsed; then `refused` has the reason. `missing` is why further pages are missing.
   */
  good(
    asOfMs: number,
    { unread, refused, notes = [] }: Pick<ParsedTables, 'unread' | 'refused' | 'notes'> = {},
    missing?: SourceFailure,
  ): void {
    const { meter } = this.#options;
    this.#failures = 0;
    meter.countGood(asOfMs);
    meter.note(notes);
    if (unread) {
      const why = `Most of its ${unread.join(' and ')} cannot be parsed: ${briefly(refused?.[0] ?? '')}.`;
      meter.turn('changed', why, unread);
    } else if (missing) meter.turn(missing.status, `Only a part of the answer came. ${missing.message}`);
    else if (this.#isFresh(asOfMs)) meter.turn('ok');
    else meter.turn('stale', this.#staleWords);
    this.#watchAge(asOfMs);
  }

  /** The last good answer is one from before the start. */
  restored(fetchedAtMs: number, isLast: boolean): void {
    const { meter } = this.#options;
    meter.recall(fetchedAtMs);
    if (isLast && this.#isFresh(fetchedAtMs)) {
      meter.turn('ok');
      this.#watchAge(fetchedAtMs);
    }
  }

  get #staleWords(): string {
    return `Its newest answer is more than ${freshMsOf(this.#options) / 1_000} s old.`;
  }

  #isFresh(asOfMs: number): boolean {
    return this.#options.clock.now() <= asOfMs + freshMsOf(this.#options);
  }

  #watchAge(asOfMs: number): void {
    const { clock, meter } = this.#options;
    this.#staleTimer?.cancel();
    this.#staleTimer = undefined;
    if (!this.#isFresh(asOfMs)) return;
    this.#staleTimer = clock.after(asOfMs + freshMsOf(this.#options) - clock.now(), () => {
      if (meter.status === 'ok') meter.turn('stale', this.#staleWords);
    });
  }

  /** Updates the health and returns the delay. */
  failed(failure: SourceFailure, first?: FirstAnswer): number {
    const { clock, everyMs, random, meter } = this.#options;
    const { status } = failure;
    const waitMs = backoffMs(this.#failures, this.#ruleOf(failure, first), random);
    this.#failures += 1;
    if (status !== 'down' || this.#failures >= DOWN_FAILURES || meter.lastGoodMs === undefined) {
      meter.turn(status, failure.message);
    }
    const againMs = status === 'blocked' ? waitMs : Math.min(waitMs, everyMs);
    return Math.max(againMs, failure.retryAtMs - clock.now());
  }

  #ruleOf({ status, isUnsent }: SourceFailure, first: FirstAnswer | undefined): BackoffRule {
    const { retryMs, firstRetryMs } = this.#options;
    if (retryMs === undefined) return retryRules[status];
    if (isUnsent) {
      const { firstMs, maxMs } = unsentRule;
      return { firstMs: Math.min(firstMs, retryMs), maxMs: Math.min(maxMs, retryMs) };
    }
    // A venue that refuses or limits us would do so again.
    const isRetried = firstRetryMs !== undefined && first?.failures === 1 && status === 'down';
    if (isRetried && first.takeRetry()) return firstRetryRule;
    return rareRetryRule(this.#options, first?.failures);
  }

  /** No more requests: getting old is not a failure, and earlier failures do not count for the next request. */
  rest(): void {
    this.stop();
    if (this.meter.status !== 'ok') this.meter.turn('down', NO_ANSWER_YET);
  }

  stop(): void {
    this.#staleTimer?.cancel();
  }
}

/**
 * From its least time to its cadence; `firstFailures`: of a source that never answered. Waits are twice as long as they
 * must be, since half of one is left to chance.
 */
function rareRetryRule(
  { everyMs, retryMs = 0, firstRetryMs }: RetryTimes,
  firstFailures?: number,
): BackoffRule {
  if (firstFailures !== undefined && firstRetryMs !== undefined) {
    const leastMs = firstFailures < FIRST_FAILURES_MAX ? firstRetryMs : everyMs;
    return { firstMs: 2 * leastMs, maxMs: 2 * leastMs };
  }
  return { firstMs: 2 * retryMs, maxMs: Math.max(2 * retryMs, everyMs) };
}

/**
 * The shortest time until a source that allows few requests is polled again, after this many failures in a row;
 * `isUnanswered`: it has never answered.
 */
export function leastRetryMs(times: RetryTimes, failures: number, isUnanswered: boolean): number {
  const rule = rareRetryRule(times, isUnanswered ? failures : undefined);
  return backoffMs(Math.max(0, failures - 1), rule, () => 0);
}
