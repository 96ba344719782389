import { type Random, sleep } from '@crosstape/core';
import type { PastPage, Refill, VenueRequest } from '@crosstape/venues';
import { type BackoffRule, backoffMs } from '../platform/backoff.ts';
import { Budget } from '../platform/budget.ts';
import type { FeedChange, FeedSink } from './feed-sink.ts';
import { SourceClient, type VenuePolling } from './source-client.ts';
import { SourceFailure } from './source-failure.ts';
import type { SourceMeter } from './venue-health.ts';

/** What happened at either end of a hole may be told a moment later. */
const EDGE_MS = 5_000;
/** Times in a row that nothing more is told before a hole is left as it is. */
const ATTEMPTS_MAX = 5;
const RETRY: BackoffRule = { firstMs: 5_000, maxMs: 60_000 };
/** Pages of one key, each handed on as it comes; a hole that takes more is left as it is. */
const PAGES_MAX = 200;

export interface FeedRefillOptions extends VenuePolling {
  /** Name of the feed. */
  readonly feed: string;
  readonly refill: Refill;
  readonly random: Random;
  /** Called when something is first asked for. */
  readonly openMeter: () => SourceMeter;
  readonly sink: FeedSink;
}

interface Hole {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What was told of one key. */
interface Past {
  /** Liquidations, whenever they were. */
  readonly count: number;
  /** It reaches back to where the hole begins; when it does not, asking again is no use. */
  readonly isWhole: boolean;
}

/**
 * Asks for what a feed missed, each time it comes up again, and at the start for whatever the venue still tells. One
 * hole at a time, one request at a time. Only when every answer reached back to where the hole begins is it bridged; and
 * not when all of them are empty: whoever has never seen a liquidation has not looked. A key whose answers end too soon
 * keeps the hole, but not the others from being asked for.
 */
export class FeedRefill {
  readonly #options: FeedRefillOptions;
  readonly #stopping = new AbortController();
  readonly #client: SourceClient<PastPage>;
  readonly #budget: Budget | undefined;
  #meter: SourceMeter | undefined;
  #heardMs = 0;
  /** The next one; those that come while another is refilled are one. */
  #hole: Hole | undefined;
  #running: Promise<void> | undefined;

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

  /** Where the feed delivers: everything goes to the sink, and changes of the feed are watched on the way. */
  readonly watched: FeedSink = (event) => {
    this.#options.sink(event);
    if (event.type === 'feed') this.#feed(event);
  };

  #feed({ kind, atMs, heardMs }: FeedChange): void {
    if (kind === 'down') {
      this.#heardMs = heardMs;
      return;
    }
    const fromMs = Math.max(this.#heardMs, atMs - this.#options.refill.reachMs);
    this.#hole = { fromMs: Math.min(fromMs, this.#hole?.fromMs ?? fromMs), toMs: atMs };
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    try {
      while (this.#hole) {
        const hole = this.#hole;
        this.#hole = undefined;
        await this.#bridge(hole);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#running = undefined;
    }
  }

  async #bridge(hole: Hole): Promise<void> {
    const { venue, feed, refill, clock, random, openMeter, sink, warn } = this.#options;
    const { signal } = this.#stopping;
    await sleep(clock, EDGE_MS, signal);
    this.#meter ??= openMeter();
    const past = new Map<string, Past>();
    const leave = (why: string): void => {
      const fields = { source: `${venue}:${refill.name}`, ...hole, why };
      warn(`${refill.name} hole`, fields, 'what a feed missed could not be asked for: the hole stays');
    };
    for (let attempt = 0; ; ) {
      const told = past.size;
      try {
        await this.#askAll(hole, past);
        const short = [...past].find(([, { isWhole }]) => !isWhole)?.[0];
        if (short !== undefined) {
          const why = `What it tells of ${short} does not reach back far enough.`;
          this.#meter.turn('changed', why);
          return leave(why);
        }
        if (![...past.values()].some(({ count }) => count > 0)) {
          this.#meter.turn('changed', 'It tells of no liquidation at all.');
          return;
        }
        this.#meter.turn('ok');
        sink({ type: 'bridged', venue, feed, ...hole });
        return;
      } catch (error) {
        if (signal.aborted) throw error;
        const failure = this.#client.asFailure(error);
        this.#meter.turn(failure.status, failure.message);
        attempt = past.size > told ? 1 : attempt + 1;
        if (attempt === ATTEMPTS_MAX) return leave(failure.message);
        const waitMs = Math.max(backoffMs(attempt - 1, RETRY, random), failure.retryAtMs - clock.now());
        await sleep(clock, waitMs, signal);
      }
    }
  }

  /** Notes what was told of each key, so that it is not asked for again. */
  async #askAll(hole: Hole, past: Map<string, Past>): Promise<void> {
    const { refill, known } = this.#options;
    const keys = refill.keys(known());
    if (keys.length === 0) throw new SourceFailure('down', 'It is not known yet what to ask for.');
    for (const key of keys) {
      if (!past.has(key)) past.set(key, await this.#askKey(key, hole));
    }
  }

  /** Page by page, until one reaches back to where the hole begins. */
  async #askKey(key: string, { fromMs, toMs }: Hole): Promise<Past> {
    const { venue, feed, refill, sink } = this.#options;
    let request: VenueRequest = refill.request(key);
    let reachedMs = Number.POSITIVE_INFINITY;
    let count = 0;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      await this.#budget?.take(1, this.#stopping.signal);
      const { frame, sinceMs, more } = (await this.#client.ask(request, key)).page;
      this.#stopping.signal.throwIfAborted();
      this.#meter?.countGood();
      count += frame.liquidations.length;
      const missed = frame.liquidations.filter(
        ({ venueTs }) => venueTs >= fromMs - EDGE_MS && venueTs <= toMs + EDGE_MS,
      );
      if (missed.length > 0)
        sink({ type: 'refilled', venue, feed, frame: { ...frame, liquidations: missed } });
      if (sinceMs <= fromMs - EDGE_MS) return { count, isWhole: true };
      if (!more || sinceMs >= reachedMs) break;
      reachedMs = sinceMs;
      request = more;
    }
    return { count, isWhole: false };
  }
}
