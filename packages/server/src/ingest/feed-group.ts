import type { Agent } from 'node:http';
import { type Clock, isWorse, type Random, type Timer } from '@crosstape/core';
import type { Feed, Known, Listed } from '@crosstape/venues';
import type { WarnOnce } from '../platform/log.ts';
import { NO_ANSWER_YET } from '../topics.ts';
import { RequestedKeys } from './requested-keys.ts';
import type { ConnectSocket } from './feed-connection.ts';
import { FeedShard } from './feed-shard.ts';
import type { DataFrame, FeedSink } from './feed-sink.ts';
import type { SocketState } from './feed-socket.ts';
import { kindOfRefusal } from './refusals.ts';
import type { VenueGate } from './venue-gate.ts';
import type { VenueTap } from './wiretap.ts';
import { type SourceMeter, waitsFor } from './venue-health.ts';

const TOPICS_MAX = 5_000;
const SHARDS_MAX = 50;
/** How often to look for coins without subscribers. */
const UNFOLLOWED_EVERY_MS = 5_000;

export interface FeedGroupOptions {
  readonly venue: string;
  readonly feed: Feed;
  /** The venue's `ws` origin. */
  readonly origin: string;
  readonly gate: VenueGate;
  readonly clock: Clock;
  readonly random: Random;
  /** For a feed on demand: called when it is first wanted, so that an idle one is not reported as down. */
  readonly openMeter: () => SourceMeter;
  readonly warn: WarnOnce;
  readonly known: () => Known;
  readonly sink: FeedSink;
  readonly agent?: Agent;
  /** Default: over the network. */
  readonly connect?: ConnectSocket;
  readonly tap?: VenueTap | undefined;
}

/**
 * All sockets of one feed. Its topics are the venue's list, or the followed part of it, on as many shards as needed.
 */
export class FeedGroup {
  readonly #options: FeedGroupOptions;
  readonly #shards = new Set<FeedShard>();
  /** Opened while the feed was up: until they deliver, no existing topic is missing. */
  readonly #added = new Set<FeedShard>();
  readonly #leaving = new Set<Promise<void>>();
  /** Only for a feed on demand. */
  readonly #followed: RequestedKeys | undefined;
  #unfollowing: Timer | undefined;
  #listed: readonly Listed[] = [];
  #openMeter: SourceMeter | undefined;
  #shardsOpened = 0;
  #isUp = false;

  constructor(options: FeedGroupOptions) {
    this.#options = options;
    const { demand } = options.feed;
    if (demand) this.#followed = new RequestedKeys(demand.keepMs);
    else this.#openMeter = options.openMeter();
  }

  /** The venue's current instruments. Sockets start once there is something to subscribe to. */
  list(listed: readonly Listed[]): void {
    this.#listed = listed;
    this.#update();
  }

  /** Whether a topic is wanted. */
  isSubscribed(topic: string): boolean {
    return [...this.#shards].some(({ topics }) => topics.has(topic));
  }

  /** When the connection of a topic last received anything, pongs included. */
  lastReceivedMs(topic: string): number | undefined {
    return [...this.#shards].find(({ topics }) => topics.has(topic))?.lastReceivedMs;
  }

  /** Clients follow these coins on demand: subscribes to them, and keeps them for a while. */
  follow(coins: readonly string[]): void {
    this.#followed?.add(coins, this.#options.clock.now());
    this.#update();
  }

  /** Resubscribes to topics, for the back-fill that shows whether anything was missed. */
  renew(topics: readonly string[]): void {
    for (const shard of this.#shards) {
      const carried = topics.filter((topic) => shard.topics.has(topic));
      if (carried.length > 0) shard.renew(carried);
    }
  }

  get #meter(): SourceMeter {
    this.#openMeter ??= this.#options.openMeter();
    return this.#openMeter;
  }

  #update(): void {
    const { feed, clock } = this.#options;
    const followed = this.#followed?.at(clock.now());
    const listed = feed.topics(this.#listed, followed);
    if (listed.length > TOPICS_MAX) this.#warnLeftOut('topics', listed.length, TOPICS_MAX);
    const wanted = new Set(listed.slice(0, TOPICS_MAX));
    // A venue without listings is an accident; no subscribers are not.
    if (wanted.size === 0 && !followed) {
      if (this.#shards.size > 0) return;
      const isWaiting = this.#listed.length === 0;
      return this.#meter.turn('down', isWaiting ? waitsFor(['instruments']) : NO_ANSWER_YET);
    }
    this.#assign(wanted);
    if (followed && followed.length > 0) {
      this.#unfollowing ??= clock.after(UNFOLLOWED_EVERY_MS, () => {
        this.#unfollowing = undefined;
        this.#update();
      });
    }
    for (const shard of this.#shards) {
      if (shard.topics.size > 0) shard.topicsChanged();
      else this.#close(shard);
    }
  }

  async stop(): Promise<void> {
    this.#unfollowing?.cancel();
    await Promise.all([...[...this.#shards].map((shard) => shard.stop()), ...this.#leaving]);
  }

  /**
   * A topic stays on its shard as long as it is wanted; a new one goes to the emptiest, so that none carries too little
   * to distinguish silence from a stall.
   */
  #assign(wanted: ReadonlySet<string>): void {
    const unassigned = new Set(wanted);
    for (const { topics } of this.#shards) {
      for (const topic of topics) if (!unassigned.delete(topic)) topics.delete(topic);
    }
    const { topicsPerSocket = TOPICS_MAX, demand } = this.#options.feed;
    const room = (demand?.topicsMax ?? TOPICS_MAX) - (wanted.size - unassigned.size);
    if (unassigned.size > room)
      this.#warnLeftOut('topics', wanted.size, wanted.size - unassigned.size + room);
    const added = [...unassigned].slice(0, room);
    const shards = Math.ceil((wanted.size - unassigned.size + added.length) / topicsPerSocket);
    while (this.#shards.size < Math.min(shards, SHARDS_MAX)) this.#open();
    for (const topic of added) {
      const emptiest = [...this.#shards].reduce((least, shard) =>
        shard.topics.size < least.topics.size ? shard : least,
      );
      if (emptiest.topics.size >= topicsPerSocket)
        return this.#warnLeftOut('topics', wanted.size, SHARDS_MAX * topicsPerSocket);
      emptiest.topics.add(topic);
      // It was unsubscribed from a moment ago and is still delivered.
      if (emptiest.carries(topic)) this.#carried([topic], this.#options.clock.now());
    }
  }

  #warnLeftOut(what: string, count: number, kept: number): void {
    const { venue, feed, warn } = this.#options;
    const fields = { source: `${venue}:${feed.name}`, [what]: count, kept };
    warn(`${feed.name} ${what}`, fields, `too many ${what}: the rest is left out`);
  }

  #open(): void {
    const { feed, origin, clock, sink } = this.#options;
    const meter = this.#meter;
    const shard: FeedShard = new FeedShard({
      ...this.#options,
      number: this.#shardsOpened,
      url: `${origin}${feed.path}`,
      events: {
        data: (socket, frame, receivedAtMs) => this.#deliver(socket, frame, receivedAtMs),
        refused: (socket, why, isReply) => this.#refuse(socket, why, isReply),
        carried: (topics, atMs) => this.#carried(topics, atMs),
        up: (socket, isReconnect) => {
          if (isReconnect) meter.countReconnect();
          sink({ type: 'socket', ...this.#name(socket), kind: 'up', atMs: clock.now() });
          this.#updateUp();
        },
        down: (socket, lastDataMs) => {
          sink({
            type: 'socket',
            ...this.#name(socket),
            kind: 'down',
            atMs: clock.now(),
            ...(lastDataMs === undefined ? {} : { lastDataMs }),
          });
          this.#updateUp(shard);
        },
        turned: () => {
          // A connected shard without some of its topics is incomplete.
          if (shard.state.status === 'ok' || shard.state.status === 'stale') this.#added.delete(shard);
          this.#updateHealth();
          this.#updateUp(shard);
        },
      },
    });
    this.#shardsOpened += 1;
    this.#shards.add(shard);
    if (this.#isUp) this.#added.add(shard);
  }

  #close(shard: FeedShard): void {
    this.#shards.delete(shard);
    this.#added.delete(shard);
    const left = shard.stop().finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
    this.#updateUp();
    this.#updateHealth();
  }

  #name(socket: number): { readonly venue: string; readonly feed: string; readonly socket: number } {
    const { venue, feed } = this.#options;
    return { venue, feed: feed.name, socket };
  }

  #deliver(socket: number, frame: DataFrame, receivedAtMs: number): void {
    const { venue, feed, sink } = this.#options;
    this.#meter.countGood(receivedAtMs);
    // Called thousands of times a second: object spread would be too slow.
    sink({ type: 'frame', venue, feed: feed.name, socket, frame, receivedAtMs });
  }

  #carried(topics: readonly string[], atMs: number): void {
    const { venue, feed, sink } = this.#options;
    sink({ type: 'carried', venue, feed: feed.name, topics, atMs });
  }

  /** Topics that no socket delivers. */
  #awaiting(): readonly string[] {
    return [...this.#shards].flatMap((shard) => [...shard.topics].filter((topic) => !shard.carries(topic)));
  }

  #refuse(socket: number, why: string, isReply = false): void {
    const { venue, feed, warn, sink, clock } = this.#options;
    this.#meter.countRefused(why);
    warn(`${feed.name} ${kindOfRefusal(why)}`, { source: `${venue}:${feed.name}`, why }, 'frame refused');
    if (!isReply) sink({ type: 'refused', ...this.#name(socket), atMs: clock.now() });
  }

  /** The feed is up while every shard is up and its frames are valid. `lost` is the shard that no longer is. */
  #updateUp(lost?: FeedShard): void {
    const { venue, feed, clock, sink } = this.#options;
    const isUp = [...this.#shards].every(
      (shard) => (shard.isUp && shard.state.status === 'ok') || this.#added.has(shard),
    );
    if (isUp === this.#isUp) return;
    this.#isUp = isUp;
    const atMs = clock.now();
    const lastReceivedMs = isUp ? atMs : (lost?.lastReceivedMs ?? atMs);
    const awaiting = isUp ? this.#awaiting() : [];
    sink({
      type: 'feed',
      venue,
      feed: feed.name,
      kind: isUp ? 'up' : 'down',
      atMs,
      lastReceivedMs,
      ...(awaiting.length > 0 && { awaiting }),
    });
  }

  /** A feed is as good as its worst shard. */
  #updateHealth(): void {
    const states = [...this.#shards].map(({ state }) => state);
    const worst = states.reduce<SocketState | undefined>(
      (worse, state) => (worse && !isWorse(state, worse) ? worse : state),
      undefined,
    );
    if (worst) this.#meter.turn(worst.status, worst.error);
    // No subscribers: earlier failures do not count next time.
    else if (this.#openMeter && this.#openMeter.status !== 'ok') this.#openMeter.turn('down', NO_ANSWER_YET);
  }
}
