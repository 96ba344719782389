import type { Agent } from 'node:http';
import type { Clock, Instrument, Random, SourceStatus } from '@crosstape/core';
import type { Feed, Known } from '@crosstape/venues';
import type { WarnOnce } from '../platform/log.ts';
import type { FeedSink } from './feed-sink.ts';
import { FeedSocket, type SocketState } from './feed-socket.ts';
import { kindOfRefusal } from './refusals.ts';
import type { VenueGate } from './venue-gate.ts';
import type { SourceMeter } from './venue-health.ts';

/** From good to bad. */
const ranking: readonly SourceStatus[] = ['ok', 'changed', 'stale', 'limited', 'blocked', 'down'];
const TOPICS_MAX = 5_000;
const NOT_CONNECTED: SocketState = { status: 'down', error: 'Not connected yet.' };

export interface FeedGroupOptions {
  readonly venue: string;
  readonly feed: Feed;
  /** The venue's `ws` origin. */
  readonly origin: string;
  readonly gate: VenueGate;
  readonly clock: Clock;
  readonly random: Random;
  readonly meter: SourceMeter;
  readonly warn: WarnOnce;
  readonly sink: FeedSink;
  readonly known: () => Known;
  readonly agent?: Agent;
}

/** Sockets that carry the same topics. */
interface Shard {
  readonly topics: Set<string>;
  readonly sockets: readonly FeedSocket[];
}

/** All sockets of one feed. Its topics follow what the venue lists, and stay on their sockets while they live. */
export class FeedGroup {
  readonly #options: FeedGroupOptions;
  readonly #shards: Shard[] = [];

  constructor(options: FeedGroupOptions) {
    this.#options = options;
    this.list([]);
  }

  /** The venue lists these instruments now. Sockets start once there is something to subscribe to. */
  list(instruments: readonly Instrument[]): void {
    const { venue, feed, warn } = this.#options;
    const topics = feed.topics(instruments);
    if (topics.length > TOPICS_MAX) {
      const fields = { source: `${venue}:${feed.name}`, topics: topics.length, kept: TOPICS_MAX };
      warn(`${feed.name} topics`, fields, 'too many topics: the rest is left out');
    }
    this.#spread(new Set(topics.slice(0, TOPICS_MAX)));
    for (const { topics: own, sockets } of this.#shards) {
      if (own.size === 0) continue;
      for (const socket of sockets) {
        socket.start();
        socket.topicsChanged();
      }
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#shards.flatMap(({ sockets }) => sockets.map((socket) => socket.stop())));
  }

  #spread(wanted: ReadonlySet<string>): void {
    const { topicsPerSocket = TOPICS_MAX } = this.#options.feed;
    const placed = new Set<string>();
    for (const { topics, sockets } of this.#shards) {
      for (const topic of topics) {
        if (wanted.has(topic)) placed.add(topic);
        else topics.delete(topic);
      }
      for (const socket of sockets) socket.topicsChanged();
    }
    for (const topic of wanted) {
      if (placed.has(topic)) continue;
      const roomy = this.#shards.find(({ topics }) => topics.size < topicsPerSocket) ?? this.#shard();
      roomy.topics.add(topic);
    }
  }

  #shard(): Shard {
    const { sockets } = this.#options.feed;
    const first = this.#shards.length * sockets;
    const topics = new Set<string>();
    const shard: Shard = {
      topics,
      sockets: Array.from({ length: sockets }, (_, index) => this.#socket(first + index, index, topics)),
    };
    this.#shards.push(shard);
    return shard;
  }

  /** `index` is its place among those with the same topics. */
  #socket(number: number, index: number, topics: ReadonlySet<string>): FeedSocket {
    const { venue, feed, origin, meter, sink, clock, warn } = this.#options;
    const name = { venue, feed: feed.name, socket: number };
    let hasBeenUp = false;
    return new FeedSocket({
      ...this.#options,
      index,
      url: `${origin}${feed.path}`,
      topics: () => topics,
      events: {
        data: (frame, receivedAtMs) => {
          meter.countGood();
          sink.frame({ ...name, frame, receivedAtMs });
        },
        refused: (why) => {
          meter.countRefused();
          warn(
            `${feed.name} ${kindOfRefusal(why)}`,
            { source: `${venue}:${feed.name}`, why },
            'frame refused',
          );
          sink.refused({ ...name, atMs: clock.now() });
        },
        up: () => {
          if (hasBeenUp) meter.countReconnect();
          hasBeenUp = true;
          sink.socket({ ...name, kind: 'up', atMs: clock.now() });
        },
        down: (lastDataMs) =>
          sink.socket({
            ...name,
            kind: 'down',
            atMs: clock.now(),
            ...(lastDataMs === undefined ? {} : { lastDataMs }),
          }),
        turned: () => {
          const { status, error } = this.#state();
          meter.turn(status, error);
        },
      },
    });
  }

  /** Each part of the topics is as well off as its best socket; the feed is as well off as its worst part. */
  #state(): SocketState {
    const rank = ({ status }: SocketState): number => ranking.indexOf(status);
    const parts = this.#shards
      .filter(({ topics }) => topics.size > 0)
      .map(({ sockets }) =>
        sockets.map(({ state }) => state).reduce((best, state) => (rank(state) < rank(best) ? state : best)),
      );
    const [first = NOT_CONNECTED, ...others] = parts;
    return others.reduce((worst, state) => (rank(state) > rank(worst) ? state : worst), first);
  }
}
