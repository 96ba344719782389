import type { Agent } from 'node:http';
import type { Clock, Instrument, Random, SourceStatus } from '@crosstape/core';
import type { Feed } from '@crosstape/venues';
import type { WarnOnce } from '../platform/log.ts';
import type { FeedSink } from './feed-sink.ts';
import { FeedSocket, type SocketState } from './feed-socket.ts';
import { kindOfRefusal } from './refusals.ts';
import type { VenueGate } from './venue-gate.ts';
import type { SourceMeter } from './venue-health.ts';

/** What makes a feed's health is its best socket: these are from good to bad. */
const ranking: readonly SourceStatus[] = ['ok', 'changed', 'stale', 'limited', 'blocked', 'down'];
const TOPICS_MAX = 5_000;

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
  readonly agent?: Agent;
}

/** All sockets of one feed. They carry the same topics, which follow what the venue lists. */
export class FeedGroup {
  readonly #options: FeedGroupOptions;
  readonly #sockets: readonly FeedSocket[];
  #topics: ReadonlySet<string> = new Set();

  constructor(options: FeedGroupOptions) {
    this.#options = options;
    this.#sockets = Array.from({ length: options.feed.sockets }, (_, index) => this.#socket(index));
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
    this.#topics = new Set(topics.slice(0, TOPICS_MAX));
    if (this.#topics.size === 0) return;
    for (const socket of this.#sockets) {
      socket.start();
      socket.topicsChanged();
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#sockets.map((socket) => socket.stop()));
  }

  #socket(index: number): FeedSocket {
    const { venue, feed, origin, meter, sink, clock, warn } = this.#options;
    const name = { venue, feed: feed.name, socket: index };
    let hasBeenUp = false;
    return new FeedSocket({
      ...this.#options,
      index,
      url: `${origin}${feed.path}`,
      topics: () => this.#topics,
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
          const { status, error } = this.#best();
          meter.turn(status, error);
        },
      },
    });
  }

  #best(): SocketState {
    const states = this.#sockets.map((socket) => socket.state);
    return states.reduce((best, state) =>
      ranking.indexOf(state.status) < ranking.indexOf(best.status) ? state : best,
    );
  }
}
