import type { Clock, SourceHealth, SourceStatus, Timer } from '@crosstape/core';
import type { Bus } from '../platform/bus.ts';
import type { Log } from '../platform/log.ts';
import { healthTopic, NO_ANSWER_YET } from '../topics.ts';

/** Counters alone are published this often; a change of status at once. */
const COUNTERS_EVERY_MS = 5_000;
/** Counts of the last minute, with the one that it begins with. */
const COUNTS_MAX = 60_000 / COUNTERS_EVERY_MS + 1;
/** Notes of one source; the rest is left out. */
const NOTES_MAX = 20;
const WAITS = 'It waits for other tables';
/** Error of a feed between its connection and the confirmation of its last topic. */
export const SUBSCRIBING = 'Not everything is subscribed to yet.';

/** Error of a source that cannot be polled before other tables of its venue are known. */
export function waitsFor(tables: readonly string[]): string {
  return `${WAITS}: ${tables.join(', ')}.`;
}

export interface VenueHealthOptions {
  readonly venue: string;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
}

/** The health of every source of a venue, published as one list. */
export class VenueHealth {
  readonly #options: VenueHealthOptions;
  readonly #sources: SourceMeter[] = [];
  readonly #timer: Timer;
  #isChanged = false;

  constructor(options: VenueHealthOptions) {
    this.#options = options;
    this.#timer = options.clock.every(COUNTERS_EVERY_MS, () => {
      for (const source of this.#sources) source.noteCount();
      if (this.#isChanged) this.#publish();
    });
  }

  /** A source that starts as `down`: nothing was received yet. */
  source(name: string, gives: readonly string[]): SourceMeter {
    const { venue, clock, log } = this.#options;
    const meter = new SourceMeter({
      health: {
        source: `${venue}:${name}`,
        venue,
        gives,
        status: 'down',
        error: NO_ANSWER_YET,
        sinceMs: clock.now(),
        messages: 0,
        refused: 0,
        reconnects: 0,
      },
      clock,
      log,
      onCount: () => {
        this.#isChanged = true;
      },
      onTurn: () => this.#publish(),
    });
    this.#sources.push(meter);
    this.#publish();
    return meter;
  }

  stop(): void {
    this.#timer.cancel();
  }

  #publish(): void {
    this.#isChanged = false;
    const list = this.#sources.map((source) => source.health);
    this.#options.bus.publish(healthTopic(this.#options.venue), list);
  }
}

interface SourceMeterOptions {
  readonly health: SourceHealth;
  readonly clock: Clock;
  readonly log: Log;
  readonly onCount: () => void;
  readonly onTurn: () => void;
}

/** Records the health of one source. */
export class SourceMeter {
  readonly #options: SourceMeterOptions;
  #health: SourceHealth;
  #lastGoodMs: number | undefined;
  #messages = 0;
  #refused = 0;
  #lastRefusal: string | undefined;
  #reconnects = 0;
  /** Whether the log knows that it has never been well. */
  #isLogged = false;
  /** The counts at each publication, oldest first. */
  readonly #counts: number[] = [0];

  constructor(options: SourceMeterOptions) {
    this.#options = options;
    this.#health = options.health;
  }

  get health(): SourceHealth {
    const messagesLastMinute = this.#lastMinute();
    return {
      ...this.#health,
      ...(this.#lastGoodMs === undefined ? {} : { lastGoodMs: this.#lastGoodMs }),
      messages: this.#messages,
      refused: this.#refused,
      ...(this.#lastRefusal === undefined ? {} : { lastRefusal: this.#lastRefusal }),
      reconnects: this.#reconnects,
      ...(messagesLastMinute === undefined ? {} : { messagesLastMinute }),
    };
  }

  /** To be called as often as counters are published. */
  noteCount(): void {
    const before = this.#lastMinute();
    this.#counts.push(this.#messages);
    if (this.#counts.length > COUNTS_MAX) this.#counts.shift();
    if (this.#lastMinute() !== before) this.#options.onCount();
  }

  #lastMinute(): number | undefined {
    const [first = 0] = this.#counts;
    return this.#counts.length < COUNTS_MAX ? undefined : (this.#counts.at(-1) ?? 0) - first;
  }

  get status(): SourceStatus {
    return this.#health.status;
  }

  get lastGoodMs(): number | undefined {
    return this.#lastGoodMs;
  }

  /** Good data arrived that the source made at `asOfMs`. */
  countGood(asOfMs = this.#options.clock.now()): void {
    this.#lastGoodMs = asOfMs;
    this.#messages += 1;
    this.#options.onCount();
  }

  /** It delivered good data before the process started. */
  recall(lastGoodMs: number): void {
    this.#lastGoodMs = lastGoodMs;
    this.#options.onTurn();
  }

  countRefused(why: string): void {
    this.#refused += 1;
    this.#lastRefusal = why;
    this.#options.onCount();
  }

  countReconnect(): void {
    this.#reconnects += 1;
    this.#options.onCount();
  }

  /** Replaces the notes; those that are new are logged. */
  note(notes: readonly string[]): void {
    const { log, onTurn } = this.#options;
    const { notes: before = [], ...rest } = this.#health;
    const kept = notes.slice(0, NOTES_MAX);
    if (kept.join('\n') === before.join('\n')) return;
    this.#health = { ...rest, ...(kept.length > 0 && { notes: kept }) };
    for (const note of kept) {
      if (!before.includes(note)) log.warn({ source: rest.source, note }, 'source has a new note');
    }
    onTurn();
  }

  /** `concerns`: the affected tables, if not all. */
  turn(status: SourceStatus, error?: string, concerns?: readonly string[]): void {
    const { clock, log, onCount, onTurn } = this.#options;
    const before = this.#health;
    if (status === before.status && error === before.error) return;
    const { error: _, concerns: __, failingSinceMs = clock.now(), ...rest } = before;
    const sinceMs = status === before.status ? before.sinceMs : clock.now();
    const isFailing = status !== 'ok' && error !== NO_ANSWER_YET;
    this.#health = {
      ...rest,
      status,
      sinceMs,
      ...(isFailing && { failingSinceMs }),
      ...(error && { error }),
      ...(concerns && { concerns }),
    };
    const isProblem = !isStarting(error);
    // It began as down: the first reason for that is as good as a change.
    const isFirst = isProblem && status !== 'ok' && this.#lastGoodMs === undefined && !this.#isLogged;
    if (isFirst || (status !== before.status && status !== 'ok')) {
      this.#isLogged ||= isProblem;
      log.warn({ source: before.source, status, error }, 'source is not ok');
    }
    // A changed reason waits for the next round; a change of status is published at once.
    if (status === before.status)
      return error === NO_ANSWER_YET || before.error === NO_ANSWER_YET ? onTurn() : onCount();
    const isFirstAnswer = this.#lastGoodMs === undefined && isStarting(before.error);
    if (status === 'ok')
      log.info(
        { source: before.source, was: before.status, ...(isFirstAnswer && { isFirst: true }) },
        'source is ok',
      );
    onTurn();
  }
}

/** Whether a source is not ok only because it has just started. */
function isStarting(error: string | undefined): boolean {
  return error === NO_ANSWER_YET || error === SUBSCRIBING || error?.startsWith(WAITS) === true;
}
