import type { Agent } from 'node:http';
import { type Clock, isWorse, type Random } from '@crosstape/core';
import type { Feed, Known } from '@crosstape/venues';
import type { ConnectSocket } from './feed-connection.ts';
import type { DataFrame } from './feed-sink.ts';
import { FeedSocket, type SocketState } from './feed-socket.ts';
import type { VenueGate } from './venue-gate.ts';
import type { VenueTap } from './wiretap.ts';

export interface FeedShardOptions {
  readonly feed: Feed;
  /** Number of the shard, from 0, over the life of the feed. */
  readonly number: number;
  readonly url: string;
  readonly gate: VenueGate;
  readonly clock: Clock;
  readonly random: Random;
  readonly known: () => Known;
  readonly agent?: Agent;
  /** Default: over the network. */
  readonly connect?: ConnectSocket;
  readonly tap?: VenueTap | undefined;
  readonly events: FeedShardEvents;
}

interface FeedShardEvents {
  data(socket: number, frame: DataFrame, receivedAtMs: number): void;
  refused(socket: number, why: string, isReply?: boolean): void;
  carried(topics: readonly string[], atMs: number): void;
  up(socket: number, isReconnect: boolean): void;
  down(socket: number, lastDataMs: number | undefined): void;
  turned(): void;
}

/** As many topics as one connection may carry, on several independent sockets if the feed is redundant. */
export class FeedShard {
  readonly topics = new Set<string>();
  readonly #sockets: readonly FeedSocket[];

  constructor(options: FeedShardOptions) {
    const { feed, number } = options;
    this.#sockets = Array.from({ length: feed.sockets }, (_, index) =>
      this.#socket(options, index, number * feed.sockets + index),
    );
  }

  /** One of its sockets delivers. */
  get isUp(): boolean {
    return this.#sockets.some(({ isUp }) => isUp);
  }

  /** Until when one of its sockets received everything, and all of it was valid. */
  get lastReceivedMs(): number | undefined {
    const times = this.#sockets.flatMap(({ lastReceivedMs }) => lastReceivedMs ?? []);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /** The state of its best socket. */
  get state(): SocketState {
    return this.#sockets
      .map(({ state }) => state)
      .reduce((best, state) => (isWorse(best, state) ? state : best));
  }

  /** One of its sockets delivers a topic. */
  carries(topic: string): boolean {
    return this.#sockets.some((socket) => socket.carries(topic));
  }

  /** The topics changed. */
  topicsChanged(): void {
    for (const socket of this.#sockets) {
      socket.start();
      socket.topicsChanged();
    }
  }

  /** One socket is enough for the back-fill; the others continue to deliver. */
  renew(topics: readonly string[]): void {
    this.#sockets.find(({ isUp }) => isUp)?.renew(topics);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#sockets.map((socket) => socket.stop()));
  }

  #socket(options: FeedShardOptions, index: number, number: number): FeedSocket {
    const { events } = options;
    let hasBeenUp = false;
    return new FeedSocket({
      ...options,
      index,
      topics: () => this.topics,
      events: {
        data: (frame, receivedAtMs) => events.data(number, frame, receivedAtMs),
        refused: (why, isReply) => events.refused(number, why, isReply),
        carried: (topics, atMs) => events.carried(topics, atMs),
        up: () => {
          events.up(number, hasBeenUp);
          hasBeenUp = true;
        },
        down: (lastDataMs) => events.down(number, lastDataMs),
        turned: () => events.turned(),
      },
    });
  }
}
