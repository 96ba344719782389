import type { Agent } from 'node:http';
import { type Clock, type Random, type SourceStatus, sleep } from '@crosstape/core';
import type { Feed, Frame, Known } from '@crosstape/venues';
import { type BackoffRule, backoffMs } from '../platform/backoff.ts';
import { type ConnectSocket, FeedConnection } from './feed-connection.ts';
import { type DataFrame, isData } from './feed-sink.ts';
import { Refusals } from './refusals.ts';
import { StallDetector } from './stall-detector.ts';
import { StallCheck } from './stall-check.ts';
import { reasonOf, SourceFailure } from './source-failure.ts';
import type { VenueGate } from './venue-gate.ts';
import { SUBSCRIBING } from './venue-health.ts';
import type { VenueTap } from './wiretap.ts';

const RECONNECT: BackoffRule = { firstMs: 500, maxMs: 30_000 };
/** A connection that delivered and lasted this long was good: after it, waiting starts from the beginning. */
const PROVEN_MS = 10_000;
/** Each further socket with the same topics connects, retries and times out this much later than the previous one. */
const STAGGER_MS = 2_000;
/** Unconfirmed topics named in the error. */
const TOPICS_NAMED = 5;

export interface SocketState {
  readonly status: SourceStatus;
  readonly error?: string;
}

export interface FeedSocketOptions {
  readonly feed: Feed;
  /** Which of the sockets with the same topics, from 0. */
  readonly index: number;
  readonly url: string;
  readonly gate: VenueGate;
  readonly clock: Clock;
  readonly random: Random;
  readonly agent?: Agent;
  /** Default: over the network. */
  readonly connect?: ConnectSocket;
  readonly tap?: VenueTap | undefined;
  readonly topics: () => ReadonlySet<string>;
  readonly known: () => Known;
  readonly events: FeedSocketEvents;
}

interface FeedSocketEvents {
  data(frame: DataFrame, receivedAtMs: number): void;
  refused(why: string, isReply?: boolean): void;
  carried(topics: readonly string[], atMs: number): void;
  /** The socket begins to deliver. */
  up(): void;
  down(lastDataMs: number | undefined): void;
  /** `state` changed. */
  turned(): void;
}

/** Keeps one socket of a feed connected: reconnects with backoff, and keeps the feed's usual message rate across connections. */
export class FeedSocket {
  readonly #options: FeedSocketOptions;
  readonly #stopping = new AbortController();
  /** Absent for a feed that may be silent. */
  readonly #silence: StallDetector | undefined;
  readonly #stallCheck = new StallCheck({ onQuiet: (silentMs) => this.#silence?.disprove(silentMs) });
  readonly #refusals = new Refusals();
  #running: Promise<void> | undefined;
  #connection: FeedConnection | undefined;
  #state: SocketState = { status: 'down', error: 'Not connected yet.' };
  /** It stalled and has delivered nothing since: being connected is not enough to be ok. */
  #hasStalled = false;
  #isUp = false;
  #lastDataMs: number | undefined;
  #lastReceivedMs: number | undefined;
  /** The last frame could not be parsed. */
  #isRefusing = false;

  constructor(options: FeedSocketOptions) {
    this.#options = options;
    const { silentMaxMs, isBursty } = options.feed;
    this.#silence = silentMaxMs === undefined ? undefined : new StallDetector(silentMaxMs, isBursty);
  }

  get state(): SocketState {
    return this.#state;
  }

  /** It delivers. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Until when everything received, pongs included, was valid, and nothing expected was missing. */
  get lastReceivedMs(): number | undefined {
    return this.#lastReceivedMs;
  }

  carries(topic: string): boolean {
    return this.#connection?.carries(topic) === true;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  topicsChanged(): void {
    this.#connection?.topicsChanged();
  }

  renew(topics: readonly string[]): void {
    this.#connection?.renew(topics);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#connection?.end(new SourceFailure('down', 'The service is stopping.'));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, random, index } = this.#options;
    const { signal } = this.#stopping;
    try {
      await sleep(clock, index * STAGGER_MS, signal);
      for (let failures = 0; ; failures += 1) {
        const { failure, wasProven } = await this.#connect();
        if (signal.aborted) return;
        this.#turn({ status: failure.status, error: failure.message });
        if (wasProven) failures = 0;
        const waitMs = backoffMs(failures, RECONNECT, random) + index * STAGGER_MS;
        await sleep(clock, Math.max(waitMs, failure.retryAtMs - clock.now()), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #connect(): Promise<{ readonly failure: SourceFailure; readonly wasProven: boolean }> {
    const { feed, gate, clock, index, events } = this.#options;
    try {
      await gate.connections.take(1, this.#stopping.signal);
      gate.check();
    } catch (error) {
      const failure =
        error instanceof SourceFailure ? error : new SourceFailure('down', reasonOf(error), { cause: error });
      return { failure, wasProven: false };
    }
    const startedAtMs = clock.now();
    this.#connection = new FeedConnection({
      ...this.#options,
      ...(this.#silence ? { silence: this.#silence } : {}),
      staggerMs: index * STAGGER_MS,
      onReceived: (atMs) => {
        if (!this.#isRefusing) this.#lastReceivedMs = atMs;
      },
      onFrame: (frame, receivedAtMs) => this.#receive(frame, receivedAtMs),
      onCarried: (topics, atMs) => events.carried(topics, atMs),
      onUnconfirmed: (topics) => {
        if (topics.length === 0 && this.#isUp) this.#turnOk();
        // If replies cannot be parsed, it is unknown whether they arrived.
        if (topics.length > 0 && !this.#refusals.isChanged)
          this.#turn({ status: 'stale', error: unconfirmedError(topics) });
      },
    });
    const failure = await this.#connection.ended;
    this.#connection = undefined;
    const { status } = failure;
    if (this.#silence && (status === 'stale' || status === 'changed')) {
      this.#hasStalled = true;
      this.#lastReceivedMs = Math.max(this.#lastDataMs ?? 0, startedAtMs);
    }
    const hasData = (this.#lastDataMs ?? Number.NEGATIVE_INFINITY) >= startedAtMs;
    const nowMs = clock.now();
    if (status === 'stale' && hasData) this.#stallCheck.stalled(nowMs - (this.#lastDataMs ?? nowMs), nowMs);
    // A feed that may be silent only has to be subscribed.
    const hasDelivered = this.#silence && !feed.isBursty ? hasData : this.#isUp;
    if (this.#isUp) {
      this.#isUp = false;
      events.down(this.#lastDataMs);
    }
    return { failure, wasProven: hasDelivered && clock.now() - startedAtMs >= PROVEN_MS };
  }

  #receive(frame: Frame, receivedAtMs: number): void {
    const { events } = this.#options;
    if (frame.kind === 'refused') {
      this.#refusals.note(true);
      this.#isRefusing = true;
      events.refused(frame.why, frame.isReply);
      if (this.#refusals.isChanged) {
        this.#turn({ status: 'changed', error: `Most frames cannot be parsed: ${frame.why}.` });
      }
      return;
    }
    if (isData(frame)) {
      this.#refusals.note(false);
      this.#isRefusing = false;
      this.#hasStalled = false;
      this.#lastDataMs = receivedAtMs;
      if (frame.kind === 'trades') this.#stallCheck.receive(frame.trades, frame.isBackfill, receivedAtMs);
      if ('refused' in frame) for (const why of frame.refused ?? []) events.refused(why);
    } else if (frame.kind !== 'subscribed') return;
    if (!this.#isUp) {
      this.#isUp = true;
      events.up();
    }
    this.#turnOk();
    if (isData(frame)) events.data(frame, receivedAtMs);
  }

  /** Unless it has stalled or its frames cannot be parsed. */
  #turnOk(): void {
    if (this.#hasStalled || this.#refusals.isChanged) return;
    if (this.#state.status === 'ok' || this.#connection?.isWhole) this.#turn({ status: 'ok' });
    else if (this.#state.status !== 'stale') this.#turn({ status: 'down', error: SUBSCRIBING });
  }

  #turn(state: SocketState): void {
    if (state.status === this.#state.status && state.error === this.#state.error) return;
    this.#state = state;
    this.#options.events.turned();
  }
}

function unconfirmedError(topics: readonly string[]): string {
  const left = topics.length - TOPICS_NAMED;
  const more = left > 0 ? ` and ${left} more` : '';
  return `Subscription not confirmed: ${topics.slice(0, TOPICS_NAMED).join(', ')}${more}.`;
}
