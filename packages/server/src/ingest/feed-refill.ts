import { type Random, sleep, type Timer } from '@crosstape/core';
import type { PastPage, Refill, VenueRequest } from '@crosstape/venues';
import { type BackoffRule, backoffMs } from '../platform/backoff.ts';
import { Budget } from '../platform/budget.ts';
import type { FeedChange, FeedSink } from './feed-sink.ts';
import { type KeyPast, type RefillGap, settleGap } from './refill-gap.ts';
import { SourceClient, type VenuePolling } from './source-client.ts';
import type { SourceMeter } from './venue-health.ts';

/** Events at either end of a gap may be reported a moment later. */
const EDGE_MS = 5_000;
/** After this many consecutive failures a gap is postponed, so that others get a turn. */
const ATTEMPTS_MAX = 5;
const RETRY: BackoffRule = { firstMs: 5_000, maxMs: 60_000 };
const PUT_OFF_MS = 10 * 60_000;
/** Pages per key, each passed on at once; a gap that needs more stays open. */
const PAGES_MAX = 200;
/** Gaps waiting for late data; beyond this the oldest stays open. */
const GAPS_MAX = 100;

export interface FeedRefillOptions extends VenuePolling {
  /** Name of the feed. */
  readonly feed: string;
  readonly refill: Refill;
  readonly random: Random;
  /** Called when something is first requested. */
  readonly openMeter: () => SourceMeter;
  readonly sink: FeedSink;
}

type Span = Pick<RefillGap, 'fromMs' | 'toMs'>;

/**
 * Requests what a feed missed, whenever it reconnects, and at the start whatever the venue still has. All due gaps
 * share one round of requests, one request at a time. A gap is bridged as far as every key is known to be complete
 * (`settleGap`), and late data are requested again. It is not bridged if all answers are empty, which may mean that the
 * request is wrong. A key whose answers end too soon keeps the gap open, but does not prevent requests for other keys.
 */
export class FeedRefill {
  readonly #options: FeedRefillOptions;
  readonly #stopping = new AbortController();
  readonly #client: SourceClient<PastPage>;
  readonly #budget: Budget | undefined;
  #meter: SourceMeter | undefined;
  #lastReceivedMs = 0;
  #gaps: RefillGap[] = [];
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  /** Time of the newest row of each key, and of any key. */
  readonly #newestMs = new Map<string, number>();
  #reportedMs = 0;

  constructor(options: FeedRefillOptions) {
    this.#options = options;
    this.#client = new SourceClient({
      ...options,
      source: { ...options.refill, gives: [] },
      meter: () => this.#meter,
      signal: this.#stopping.signal,
    });
    const { clock, refill } = options;
    this.#budget =
      refill.perMinute === undefined ? undefined : new Budget({ clock, perMinute: refill.perMinute });
  }

  /** The feed's sink: passes everything on and watches changes of the feed. */
  readonly watched: FeedSink = (event) => {
    this.#options.sink(event);
    if (event.type === 'feed') this.#feed(event);
  };

  #feed({ kind, atMs, lastReceivedMs }: FeedChange): void {
    if (kind === 'down') {
      this.#lastReceivedMs = lastReceivedMs;
      return;
    }
    const fromMs = Math.max(this.#lastReceivedMs, atMs - this.#options.refill.reachMs);
    const dueMs = atMs + EDGE_MS;
    // Gaps that were not requested yet are merged.
    const waiting = this.#gaps.find((gap) => gap.answers === 0 && gap.dueMs <= dueMs);
    this.#gaps = this.#gaps.filter((gap) => gap !== waiting);
    this.#add({ fromMs: Math.min(fromMs, waiting?.fromMs ?? fromMs), toMs: atMs, dueMs, answers: 0 });
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#timer?.cancel();
    await this.#running;
  }

  #add(gap: RefillGap): void {
    this.#gaps.push(gap);
    const oldest = this.#gaps.length > GAPS_MAX ? this.#gaps.shift() : undefined;
    if (oldest) this.#leave(oldest, 'There are too many gaps.');
  }

  #schedule(): void {
    if (this.#running || this.#stopping.signal.aborted || this.#gaps.length === 0) return;
    this.#timer?.cancel();
    const dueMs = Math.min(...this.#gaps.map((gap) => gap.dueMs));
    const waitMs = Math.max(0, dueMs - this.#options.clock.now());
    this.#timer = this.#options.clock.after(waitMs, () => {
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
        this.#schedule();
      });
    });
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const due = this.#gaps.filter(({ dueMs }) => dueMs <= clock.now());
    this.#gaps = this.#gaps.filter((gap) => !due.includes(gap));
    try {
      await this.#bridge(due);
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error;
    }
  }

  async #bridge(gaps: readonly RefillGap[]): Promise<void> {
    const { clock, random, openMeter } = this.#options;
    const { signal } = this.#stopping;
    this.#meter ??= openMeter();
    while (this.#keys().length === 0) {
      this.#meter.turn('down', 'It is not known yet what to ask for.');
      await sleep(clock, RETRY.firstMs, signal);
    }
    const past = new Map<string, KeyPast>();
    for (let attempt = 0; ; ) {
      const answered = past.size;
      try {
        await this.#askAll(gaps, past);
        break;
      } catch (error) {
        if (signal.aborted) throw error;
        const failure = this.#client.asFailure(error);
        this.#meter.turn(failure.status, failure.message);
        attempt = past.size > answered ? 1 : attempt + 1;
        if (attempt === ATTEMPTS_MAX) {
          for (const gap of gaps) this.#putOff(gap, failure.message);
          return;
        }
        const waitMs = Math.max(backoffMs(attempt - 1, RETRY, random), failure.retryAtMs - clock.now());
        await sleep(clock, waitMs, signal);
      }
    }
    if (this.#reportedMs === 0) {
      this.#meter.turn('changed', 'It reports no liquidation at all.');
      return;
    }
    this.#meter.turn('ok');
    for (const gap of gaps) this.#settle(gap, past);
  }

  #settle(gap: RefillGap, past: ReadonlyMap<string, KeyPast>): void {
    const { venue, feed, clock, sink } = this.#options;
    const { fromMs, openKeys } = gap;
    const isShort = ([key, { sinceMs }]: readonly [string, KeyPast]): boolean =>
      sinceMs > fromMs - EDGE_MS && openKeys?.has(key) !== false;
    const short = [...past].find(isShort)?.[0];
    if (short !== undefined) {
      const why = `Its answers for ${short} do not reach back far enough.`;
      this.#meter?.turn('changed', why);
      return this.#leave(gap, why);
    }
    const { bridgedToMs, rest, isLast } = settleGap(gap, past, clock.now());
    if (bridgedToMs > fromMs) sink({ type: 'bridged', venue, feed, fromMs, toMs: bridgedToMs });
    if (!rest) return;
    if (isLast) this.#leave(rest, 'Its answers do not reach the end of the gap.');
    else this.#add(rest);
  }

  /** A gap is requested again later for as long as the venue has any of it. */
  #putOff(gap: RefillGap, why: string): void {
    const { clock, refill } = this.#options;
    const dueMs = clock.now() + PUT_OFF_MS;
    if (gap.toMs > dueMs - refill.reachMs) this.#add({ ...gap, dueMs });
    else this.#leave(gap, why);
  }

  #leave({ fromMs, toMs }: Span, why: string): void {
    const { venue, refill, warn } = this.#options;
    const fields = { source: `${venue}:${refill.name}`, fromMs, toMs, why };
    warn(`${refill.name} gap`, fields, 'what a feed missed could not be requested: the gap stays');
  }

  /** Stores the answers per key, so that it is not requested again. */
  async #askAll(gaps: readonly RefillGap[], past: Map<string, KeyPast>): Promise<void> {
    // Keys with the newest rows first: they show how far the venue's history reaches when the others are requested.
    const newestMs = (key: string): number => this.#newestMs.get(key) ?? 0;
    const missingOf = (key: string): readonly RefillGap[] =>
      gaps.filter(({ openKeys }) => openKeys?.has(key) !== false);
    for (const key of this.#keys().toSorted((a, b) => newestMs(b) - newestMs(a))) {
      const missing = missingOf(key);
      if (missing.length > 0 && !past.has(key)) past.set(key, await this.#askKey(key, missing));
    }
    // A key requested before any answer showed that the venue has passed the gap is requested again.
    for (const [key, { newestMs: ownMs, reportedMs }] of past) {
      const missing = missingOf(key);
      const isTooEarly = ({ answers, toMs }: RefillGap): boolean =>
        answers > 0 && Math.max(ownMs, reportedMs) < toMs && toMs <= this.#reportedMs;
      if (missing.some(isTooEarly)) past.set(key, await this.#askKey(key, missing));
    }
  }

  #keys(): readonly string[] {
    const { refill, known } = this.#options;
    return refill.keys(known());
  }

  /** Page by page, until one reaches back to where the first gap begins. */
  async #askKey(key: string, gaps: readonly Span[]): Promise<KeyPast> {
    const { venue, feed, refill, sink } = this.#options;
    const fromMs = Math.min(...gaps.map((gap) => gap.fromMs)) - EDGE_MS;
    const isMissing = (ts: number): boolean =>
      gaps.some((gap) => ts >= gap.fromMs - EDGE_MS && ts <= gap.toMs + EDGE_MS);
    let request: VenueRequest = refill.request(key);
    let reachedMs = Number.POSITIVE_INFINITY;
    const reportedMs = this.#reportedMs;
    let newestMs = 0;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      await this.#budget?.take(1, this.#stopping.signal);
      const answer = (await this.#client.ask(request, key)).page;
      this.#stopping.signal.throwIfAborted();
      this.#meter?.countGood();
      // The whole round takes minutes; an earlier failure has ended with this answer.
      if (this.#meter?.status === 'down') this.#meter.turn('ok');
      const { frame, sinceMs, more } = answer;
      newestMs = Math.max(newestMs, answer.newestMs ?? 0);
      this.#newestMs.set(key, newestMs);
      this.#reportedMs = Math.max(this.#reportedMs, newestMs);
      const missed = frame.liquidations.filter(({ venueTs }) => isMissing(venueTs));
      if (missed.length > 0)
        sink({ type: 'refilled', venue, feed, frame: { ...frame, liquidations: missed } });
      if (!more || sinceMs >= reachedMs || sinceMs <= fromMs) return { sinceMs, newestMs, reportedMs };
      reachedMs = sinceMs;
      request = more;
    }
    return { sinceMs: reachedMs, newestMs, reportedMs };
  }
}
