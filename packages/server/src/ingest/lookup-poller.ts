import { onClockSetBack, type ParsedTables, type Random, type Timer } from '@crosstape/core';
import type { Lookup } from '@crosstape/venues';
import { Budget } from '../platform/budget.ts';
import { RequestedKeys } from './requested-keys.ts';
import { missingTables, type ParseDetails } from './venue-tables.ts';
import { LookupAnswers } from './lookup-answers.ts';
import { PollHealth } from './poll-health.ts';
import { type SourceAnswer, SourceClient, type VenuePolling } from './source-client.ts';
import type { SourceFailure } from './source-failure.ts';
import { TableSizes } from './table-sizes.ts';
import type { SourceMeter } from './venue-health.ts';

/** More keys than any venue has; the rest is left out and reported. */
const KEYS_MAX = 3_000;
/** Leaves room for the venue's resources, which wait behind them. */
const IN_FLIGHT_MAX = 4;
/** A key without an answer for this many cadences is fetched out of turn. */
const OVERDUE_CADENCES = 2;
/** After this many turns of known keys, one is for a new key, however long the others have waited. */
const KNOWN_TURNS_MAX = 3;
/** Answers are published once a second, or more often where the cadence is short. */
const PUBLISH_EVERY_MS = 1_000;
const PUBLISHED_PER_CADENCE = 3;
/** This many failing keys, or all of fewer, are more than a few malformed symbols. */
const TROUBLED_KEYS = 3;
/** At the start, a fallback waits this long for the resource that it replaces. */
const FALLBACK_WAIT_MS = 10_000;
/** A requested key is kept warm for this many cadences. */
const DEMAND_CADENCES = 5;

interface Turn {
  readonly askedMs: number;
  /** Time of the venue's last answer, good or not. */
  readonly lastReceivedMs: number;
}

const NEVER: Turn = { askedMs: Number.NEGATIVE_INFINITY, lastReceivedMs: Number.NEGATIVE_INFINITY };

export interface LookupPollerOptions extends VenuePolling {
  readonly lookup: Lookup;
  /** For a fallback: the keys that another source has answered lately. */
  readonly covered?: () => ReadonlySet<string>;
  readonly random: Random;
  /** Called on the first request, so that an idle source is not reported as down. */
  readonly openMeter: () => SourceMeter;
  readonly publish: (parsed: ParsedTables, fetchedAtMs: number, details: ParseDetails) => void;
}

/**
 * Keeps a venue's keyed data fresh. Keys take turns, the longest waiting first, evenly over the cadence; new or overdue
 * ones are requested as fast as the limits allow.
 */
export class LookupPoller {
  readonly #options: LookupPollerOptions;
  readonly #stopping = new AbortController();
  readonly #client: SourceClient;
  readonly #budget: Budget | undefined;
  readonly #requested: RequestedKeys;
  readonly #answers: LookupAnswers;
  readonly #sizes: TableSizes;
  readonly #turns = new Map<string, Turn>();
  /** Keys whose last response, or most of it, could not be parsed. */
  readonly #troubled = new Set<string>();
  readonly #flights = new Map<string, Promise<void>>();
  #health: PollHealth | undefined;
  #timer: Timer | undefined;
  #publishTimer: Timer | undefined;
  #publishedAtMs = 0;
  /** For a fallback: pending while the other source may still answer for the first time. */
  #fallbackTimer: Timer | undefined;
  #hasNews = false;
  /** Notes on the sizes of its tables. */
  #notes: readonly string[] = [];
  #nextTurnMs = 0;
  /** Turns of known keys since the last of a new one. */
  #knownTurns = 0;
  #pausedUntilMs = 0;
  readonly #setBack: Timer;

  constructor(options: LookupPollerOptions) {
    const { lookup, clock } = options;
    this.#options = options;
    this.#client = new SourceClient({
      ...options,
      source: lookup,
      meter: () => this.#health?.meter,
      signal: this.#stopping.signal,
    });
    this.#budget =
      lookup.perMinute === undefined
        ? undefined
        : new Budget({ clock, perMinute: lookup.perMinute, atOnce: lookup.atOnce });
    this.#requested = new RequestedKeys(DEMAND_CADENCES * lookup.everyMs);
    this.#answers = new LookupAnswers(lookup);
    this.#sizes = new TableSizes(lookup.gives);
    this.#setBack = onClockSetBack(clock, () => this.#startOver());
  }

  start(): void {
    const { lookup, covered, clock } = this.#options;
    if (covered) {
      this.#fallbackTimer = clock.after(FALLBACK_WAIT_MS, () => {
        this.#fallbackTimer = undefined;
        this.#step();
      });
    } else if (lookup.polled === 'always') this.#open();
    this.#step();
  }

  /** Keys requested by a caller: they are fetched, and kept fresh for a while. */
  want(keys: readonly string[]): void {
    const nowMs = this.#options.clock.now();
    this.#requested.add(
      keys.filter((key) => !this.#answers.isAbsent(key, nowMs)),
      nowMs,
    );
    this.#step();
  }

  /** The venue's tables have changed, and with them perhaps the keys. */
  tablesChanged(): void {
    this.#step();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#setBack.cancel();
    this.#timer?.cancel();
    this.#publishTimer?.cancel();
    this.#fallbackTimer?.cancel();
    this.#health?.stop();
    await Promise.all(this.#flights.values());
  }

  /** After the clock was set back, earlier times would keep their keys waiting until it has caught up. */
  #startOver(): void {
    // Requests under way are compared with the number of turns.
    for (const key of this.#turns.keys()) this.#turns.set(key, NEVER);
    this.#nextTurnMs = 0;
    this.#pausedUntilMs = 0;
    this.#publishedAtMs = 0;
    this.#publishTimer?.cancel();
    this.#publishTimer = undefined;
    this.#answers.notAfter(this.#options.clock.now());
    this.#step();
  }

  /** Requests everything that is due, and schedules the next step. */
  #step(): void {
    const { lookup, clock, known } = this.#options;
    this.#timer?.cancel();
    if (this.#stopping.signal.aborted) return;
    const keys = this.#keys();
    const nowMs = clock.now();
    const gridMs = lookup.isAligned ? Math.floor(nowMs / lookup.everyMs) * lookup.everyMs : 0;
    const outdated = lookup.outdated?.(known(), nowMs) ?? new Map<string, number>();
    while (this.#flights.size < IN_FLIGHT_MAX) {
      const key = this.#longestWaiting(outdated.keys(), outdated) ?? this.#longestWaiting(keys);
      if (key === undefined) break;
      const { askedMs, lastReceivedMs } = this.#turns.get(key) ?? NEVER;
      const isOverdue =
        nowMs - Math.min(askedMs, lastReceivedMs) > OVERDUE_CADENCES * lookup.everyMs ||
        askedMs < Math.max(gridMs, outdated.get(key) ?? 0);
      const nextMs = lookup.isAligned ? gridMs + lookup.everyMs : this.#nextTurnMs;
      const dueMs = Math.max(this.#pausedUntilMs, isOverdue ? nowMs : nextMs);
      if (dueMs > nowMs) {
        this.#timer = clock.after(dueMs - nowMs, () => this.#step());
        break;
      }
      this.#knownTurns = this.#turns.has(key) ? this.#knownTurns + 1 : 0;
      this.#turns.set(key, { askedMs: nowMs, lastReceivedMs });
      const turnMs = isOverdue ? nowMs : this.#nextTurnMs;
      this.#nextTurnMs = Math.max(nowMs, turnMs + lookup.everyMs / keys.size);
      this.#flights.set(key, this.#fetch(key, this.#open()));
    }
    if (keys.size === 0 && this.#flights.size === 0) this.#rest();
    if (this.#hasNews) this.#publishSoon();
  }

  /** No requests. A failing source stays failing until it would be polled again. */
  #rest(): void {
    const { clock } = this.#options;
    const waitMs = this.#pausedUntilMs - clock.now();
    if (waitMs <= 0) this.#health?.rest();
    else this.#timer = clock.after(waitMs, () => this.#step());
  }

  /** The keys to request now. Of other keys only the rows are kept, for a while. */
  #keys(): ReadonlySet<string> {
    const { venue, lookup, clock, known, warn, covered } = this.#options;
    const isWaiting = this.#fallbackTimer !== undefined || missingTables(known(), lookup.needs).length > 0;
    const wanted = isWaiting ? [] : lookup.keys(known(), this.#requested.at(clock.now()));
    const others = covered?.();
    // If both sources have a key, the other source's answer is newer.
    if (others && this.#answers.drop(others)) this.#hasNews = true;
    const keys = others ? wanted.filter((key) => !others.has(key)) : wanted;
    if (keys.length > KEYS_MAX) {
      const fields = { source: `${venue}:${lookup.name}`, keys: keys.length, kept: KEYS_MAX };
      warn(`${lookup.name} keys`, fields, 'too many keys: the rest is left out');
    }
    const kept = new Set(keys.slice(0, KEYS_MAX));
    for (const key of this.#turns.keys()) if (!kept.has(key)) this.#turns.delete(key);
    for (const key of this.#troubled) if (!kept.has(key)) this.#troubled.delete(key);
    return kept;
  }

  /**
   * The key that has not been requested for longest, or not since its own time in `since`. A new key counts as just
   * overdue: it comes before those that are fresh, but however many are new, these do not become stale. If more keys
   * are kept fresh than can be requested in time, all are overdue, and a new key gets one turn in a few.
   */
  #longestWaiting(keys: Iterable<string>, since?: ReadonlyMap<string, number>): string | undefined {
    const { lookup, clock } = this.#options;
    const isTurnOfNew = this.#knownTurns >= KNOWN_TURNS_MAX;
    const newMs = isTurnOfNew ? NEVER.askedMs : clock.now() - OVERDUE_CADENCES * lookup.everyMs;
    let longest: string | undefined;
    let sinceMs = Number.POSITIVE_INFINITY;
    for (const key of keys) {
      const askedMs = this.#turns.get(key)?.askedMs ?? newMs;
      if (this.#flights.has(key) || (longest !== undefined && askedMs >= sinceMs)) continue;
      if (since && (!this.#turns.has(key) || askedMs >= (since.get(key) ?? askedMs))) continue;
      longest = key;
      sinceMs = askedMs;
    }
    return longest;
  }

  #open(): PollHealth {
    const { lookup, clock, random, openMeter } = this.#options;
    this.#health ??= new PollHealth({ ...lookup, meter: openMeter(), clock, random });
    return this.#health;
  }

  async #fetch(key: string, health: PollHealth): Promise<void> {
    const { lookup, clock } = this.#options;
    const { signal } = this.#stopping;
    try {
      await this.#budget?.take(1, signal);
      const answer = await this.#client.ask(lookup.request(key, clock.now()), key);
      if (!signal.aborted) this.#succeed(key, answer, health);
    } catch (error) {
      if (!signal.aborted) this.#fail(key, this.#client.asFailure(error), health);
    } finally {
      this.#flights.delete(key);
      this.#step();
    }
  }

  #succeed(key: string, answer: SourceAnswer<ParsedTables>, health: PollHealth): void {
    const { page: parsed, receivedAtMs } = answer;
    const asOfMs = this.#answers.put(key, parsed, answer.asOfMs, receivedAtMs);
    if (this.#answers.isAbsent(key, asOfMs)) this.#requested.delete(key);
    this.#hasNews = true;
    this.#noteReceived(key);
    if (parsed.unread) this.#troubled.add(key);
    else this.#troubled.delete(key);
    if (this.#isChanged && !parsed.unread) return health.meter.countGood(asOfMs);
    this.#pausedUntilMs = 0;
    health.good(asOfMs, { ...(this.#isChanged && parsed), notes: this.#notes });
  }

  /** A response that cannot be parsed is that key's own failure, until most keys have it. Any other failure is the source's. */
  #fail(key: string, failure: SourceFailure, health: PollHealth): void {
    const { clock } = this.#options;
    if (failure.status === 'changed') {
      this.#noteReceived(key);
      this.#troubled.add(key);
      const isFirst = health.meter.lastGoodMs === undefined && this.#troubled.size === this.#turns.size;
      if (!this.#isChanged && !isFirst) return;
    }
    // Concurrent requests fail together: that is one failure.
    if (clock.now() < this.#pausedUntilMs) return;
    this.#pausedUntilMs = clock.now() + health.failed(failure);
  }

  #noteReceived(key: string): void {
    const turn = this.#turns.get(key);
    if (turn) this.#turns.set(key, { ...turn, lastReceivedMs: this.#options.clock.now() });
  }

  get #isChanged(): boolean {
    const { size } = this.#troubled;
    return size >= Math.min(TROUBLED_KEYS, this.#turns.size) && size > this.#turns.size / 2;
  }

  /** At once when everything due has arrived, unless that happened a moment ago. */
  #publishSoon(): void {
    const { clock, lookup } = this.#options;
    const isAll = this.#flights.size === 0;
    const everyMs = Math.min(PUBLISH_EVERY_MS, lookup.everyMs / PUBLISHED_PER_CADENCE);
    const waitMs = isAll ? this.#publishedAtMs + everyMs - clock.now() : everyMs;
    if (waitMs <= 0) this.#publish();
    else this.#publishTimer ??= clock.after(waitMs, () => this.#publish());
  }

  #publish(): void {
    const { clock, lookup, publish } = this.#options;
    this.#publishTimer?.cancel();
    this.#publishTimer = undefined;
    this.#publishedAtMs = clock.now();
    this.#hasNews = false;
    const { parsed, newestMs, ...details } = this.#answers.parsed(clock.now());
    this.#notes = lookup.gives.flatMap((table) =>
      this.#sizes.notesOf(table, this.#answers.sizeOf(table), clock.now()),
    );
    this.#health?.meter.note(this.#notes);
    publish(parsed, newestMs, details);
  }
}
