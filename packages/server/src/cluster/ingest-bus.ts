import type { Clock, Timer } from '@crosstape/core';
import { BusRequests } from './bus-requests.ts';
import type {
  Bus,
  Dated,
  LatestTopic,
  LogTopic,
  MissedListener,
  Retained,
  Topic,
  Unsubscribe,
} from '../platform/bus.ts';
import { BusMirror } from './bus-mirror.ts';
import { BusOutbox } from './bus-outbox.ts';
import {
  fenceScript,
  groupPrefix,
  type LogBatch,
  pulseNames,
  readEntry,
  type Shard,
  shardNumber,
  shardsOf,
} from './bus-wire.ts';
import type { EventLog } from '../platform/event-log.ts';
import type { SharedBusOptions } from './gateway-bus.ts';
import { LocalBus } from '../platform/local-bus.ts';
import type { Log } from '../platform/log.ts';
import { disconnect, type RedisLink, runFenced } from './redis.ts';
import { systemClock } from '../platform/system-clock.ts';

/** Heartbeat interval: gateways use it to detect a dead ingester. */
const PULSE_EVERY_MS = 1_000;
const pulseTopics = pulseNames.map(
  (name): LatestTopic<{ readonly atMs: number }> => ({ name, keep: { kind: 'latest' } }),
);
/** How far back a new publisher compares its messages with its predecessor's. */
const SEAM_MS = 60_000;
const SEAM_ENTRIES_MAX = 20_000;
/** Requests up to this age still count: callers time out sooner or repeat them. */
const REQUEST_AGE_MAX_MS = 5_000;

export interface IngestBusOptions extends SharedBusOptions {
  /** Topics that only the leading ingester produces; standbys copy them from it. */
  readonly isCopied: (topic: string) => boolean;
  /** Set for a secondary group, which has its own bus and reads the primary group's. */
  readonly group?: BusGroup | undefined;
  /** Called with the number of dropped messages. */
  readonly onLost: (count: number) => void;
  /** Another process publishes now. */
  readonly onFenced: () => void;
  /** Per shard. */
  readonly waitingMax?: number;
}

export interface BusGroup {
  readonly name: string;
  /** Topics that the group publishes; others stay in this process. */
  readonly isSent: (topic: string) => boolean;
  /** Topics that the group reads from the primary one. */
  readonly isTaken: (topic: string) => boolean;
  /** The log among them, if any. */
  readonly takenLog?: string;
}

/**
 * The bus of an ingester. Listeners in the process are called at once; other processes receive messages, and can send
 * requests, only while this process leads.
 */
export class IngestBus implements Bus {
  readonly #options: IngestBusOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #local: LocalBus;
  readonly #mirrors: readonly BusMirror[];
  readonly #links: readonly RedisLink[];
  readonly #shards: readonly Shard[];
  /** Mirrors of the primary group's bus, in a secondary group. */
  readonly #primaryMirrors: readonly BusMirror[];
  readonly #primaryLinks: readonly RedisLink[];
  readonly #requests: BusRequests;
  readonly #openedAtMs: number[] = [];
  #outboxes: readonly BusOutbox[] | undefined;
  #pulse: Timer | undefined;

  static async open(options: IngestBusOptions): Promise<IngestBus> {
    const bus = new IngestBus(options);
    try {
      await bus.#start();
    } catch (error) {
      // The next attempt opens its own connections.
      await bus.stop();
      throw error;
    }
    return bus;
  }

  private constructor(options: IngestBusOptions) {
    const { clock, log, prefix, link, connect, isCopied, group } = options;
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    const openedAtMs = clock.now();
    this.#local = new LocalBus(clock, (name) =>
      isCopied(name) ? (this.#openedAtMs[shardNumber(name)] ?? openedAtMs) : openedAtMs,
    );
    this.#shards = shardsOf(group ? groupPrefix(prefix, group.name) : prefix);
    const mirrorOf = (
      shard: Shard,
      reader: RedisLink,
      isWanted: (topic: string) => boolean,
      readsLog = true,
    ) =>
      new BusMirror({
        link,
        reader,
        shard,
        log,
        readsLog,
        timing: systemClock,
        onLog: ({ name, messages, ...keep }, atMs) => {
          if (!isWanted(name)) return;
          const topic: LogTopic<unknown> = { name, keep: { kind: 'log', ...keep } };
          for (const message of messages) this.#local.publish(topic, message, atMs);
        },
        onLatest: (name, message) => {
          if (isWanted(name)) this.#local.publish({ name, keep: { kind: 'latest' } }, message);
        },
        onMissed: () => undefined,
      });
    this.#links = this.#shards.map(() => connect());
    this.#mirrors = this.#shards.map((shard, i) => mirrorOf(shard, this.#links[i] as RedisLink, isCopied));
    const primary = group ? shardsOf(prefix) : [];
    this.#primaryLinks = primary.map(() => connect());
    this.#primaryMirrors = primary.map((shard, i) => {
      const hasLog = group?.takenLog !== undefined && shardNumber(group.takenLog) === i;
      return mirrorOf(shard, this.#primaryLinks[i] as RedisLink, (topic) => this.#isTaken(topic), hasLog);
    });
    this.#requests = new BusRequests({
      link,
      connect,
      prefix,
      log,
      clock,
      onRequest: (topic, message) => this.#local.publish(topic, message),
    });
  }

  async #start(): Promise<void> {
    const nowMs = this.#clock.now();
    await Promise.all(
      this.#mirrors.map(async (mirror, i) => {
        this.#openedAtMs[i] = (await mirror.oldestMs()) ?? nowMs;
      }),
    );
    await Promise.all([...this.#mirrors, ...this.#primaryMirrors].map((mirror) => mirror.start()));
  }

  #isTaken(topic: string): boolean {
    return this.#options.group?.isTaken(topic) ?? false;
  }

  /** Whether this process publishes the topic to others. */
  #isSent({ name, by }: Topic<unknown>): boolean {
    const { group } = this.#options;
    if (by === 'gateway') return false;
    return group ? group.isSent(name) || pulseNames.includes(name) : true;
  }

  publish<Message>(topic: Topic<Message>, message: Message): void {
    this.#local.publish(topic, message);
    if (this.#isSent(topic)) this.#outboxes?.[shardNumber(topic.name)]?.add(topic, message);
  }

  subscribe<Message>(topic: Topic<Message>, listener: (message: Message) => void): Unsubscribe {
    return this.#local.subscribe(topic, listener);
  }

  latest<Message>(topic: LatestTopic<Message>): Retained<Message> | undefined {
    return this.#local.latest(topic);
  }

  log<Message extends Dated>(topic: LogTopic<Message>): EventLog<Message> {
    return this.#local.log(topic);
  }

  onMissed(listener: MissedListener): Unsubscribe {
    return this.#local.onMissed(listener);
  }

  async settled(): Promise<void> {}

  /** The topics that have a log, and their logs. */
  logs(): ReturnType<LocalBus['logs']> {
    return this.#local.logs();
  }

  /** Messages waiting to be sent. */
  get waiting(): number {
    return (this.#outboxes ?? []).reduce((sum, outbox) => sum + outbox.waiting, 0);
  }

  /** Resolves when everything published so far has been sent; rejects if it cannot be sent at the moment. */
  async flushed(): Promise<void> {
    await Promise.all((this.#outboxes ?? []).map((outbox) => outbox.flushed()));
  }

  /**
   * Becomes the publisher and fences off the previous one. When this resolves, the messages of the previous publisher
   * have been read, those it had not sent yet have been sent, and every newest message is this process's own. Rejects
   * when the server is unreachable or another process was faster; the caller may retry. After it has resolved, another
   * call has no effect.
   */
  async lead(token: number): Promise<void> {
    // The outboxes continue by themselves, and report when another process has taken over.
    if (this.#outboxes) return this.#requests.start(REQUEST_AGE_MAX_MS);
    const { link, isCopied, onLost, onFenced, waitingMax } = this.#options;
    const shards = this.#shards;
    await Promise.all(shards.map(({ fence }) => runFenced(fenceScript, link, [fence], [token])));
    await Promise.all(this.#mirrors.map((mirror) => mirror.settled()));
    const publishedBefore = await this.#publishedBefore();
    for (const one of this.#links) disconnect(one);
    await Promise.all(this.#mirrors.map((mirror) => mirror.stop()));
    const clock = this.#clock;
    const outboxes = shards.map(
      (shard) =>
        new BusOutbox({ link, shard, token, clock, timing: systemClock, onLost, onFenced, waitingMax }),
    );
    this.#outboxes = outboxes;
    const send = (topic: Topic<unknown>, message: unknown): void =>
      outboxes[shardNumber(topic.name)]?.add(topic, message);
    for (const { topic, message } of this.#local.newest()) if (this.#isSent(topic)) send(topic, message);
    for (const { topic, log } of this.#local.logs()) {
      if (isCopied(topic.name) || !this.#isSent(topic)) continue;
      const before = publishedBefore.get(topic.name) ?? [];
      const isDuplicate = topic.isDuplicate ?? isAmong(before);
      for (const event of log.since(clock.now() - SEAM_MS)) {
        if (isDuplicate(event, before)) continue;
        before.push(event);
        send(topic, event);
      }
    }
    const beat = (): void => {
      for (const topic of pulseTopics) this.publish(topic, { atMs: clock.now() });
    };
    this.#pulse = systemClock.every(PULSE_EVERY_MS, beat);
    beat();
    await this.#requests.start(REQUEST_AGE_MAX_MS);
  }

  /** Recent messages of the logs, by topic, oldest first. */
  async #publishedBefore(): Promise<ReadonlyMap<string, unknown[]>> {
    const { link } = this.#options;
    const publishedBefore = new Map<string, unknown[]>();
    const note = ({ parts }: LogBatch): void => {
      for (const { name, messages } of parts) {
        const known = publishedBefore.get(name) ?? [];
        for (const message of messages) known.push(message);
        publishedBefore.set(name, known);
      }
    };
    await Promise.all(
      this.#shards.map(async ({ log }) => {
        const batches: LogBatch[] = [];
        const entries = await link.xrevrange(log, '+', '-', 'COUNT', SEAM_ENTRIES_MAX);
        for (const [, fields] of entries) {
          const batch = readEntry(fields);
          if (batch.atMs < this.#clock.now() - 2 * SEAM_MS) break;
          batches.push(batch);
        }
        for (const batch of batches.toReversed()) note(batch);
      }),
    );
    return publishedBefore;
  }

  async stop(): Promise<void> {
    this.#pulse?.cancel();
    await this.flushed().catch((error: unknown) =>
      this.#log.warn({ err: error, messages: this.waiting }, 'the last published messages could not be sent'),
    );
    for (const outbox of this.#outboxes ?? []) outbox.stop();
    for (const link of [...this.#links, ...this.#primaryLinks]) disconnect(link);
    const mirrors = [...this.#mirrors, ...this.#primaryMirrors];
    await Promise.all([...mirrors.map((mirror) => mirror.stop()), this.#requests.stop()]);
  }
}

/** Tests whether an identical message was published. */
function isAmong(messages: readonly unknown[]): (message: unknown) => boolean {
  const texts = new Set(messages.map((one) => JSON.stringify(one)));
  return (message) => texts.has(JSON.stringify(message));
}
