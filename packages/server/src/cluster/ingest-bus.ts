import type { Clock, Timer } from '@crosstape/core';
import { BusAsks } from './bus-asks.ts';
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

/** A message is published at least this often, so that gateways know the ingester is alive. */
const PULSE_EVERY_MS = 1_000;
const pulseTopics = pulseNames.map(
  (name): LatestTopic<{ readonly atMs: number }> => ({ name, keep: { kind: 'latest' } }),
);
/** How far back a new publisher looks for what the one before has said and not said. */
const SEAM_MS = 60_000;
const SEAM_ENTRIES_MAX = 20_000;
/** Requests of this long before are still wanted: callers wait for less, or repeat them. */
const ASKED_MS = 5_000;

export interface IngestBusOptions extends SharedBusOptions {
  /** Topics that only the publishing ingester makes; while another is that, they are copied from it. */
  readonly isCopied: (topic: string) => boolean;
  /** Of a group of ingesters without the primary venue, which has a bus of its own and reads the primary's. */
  readonly group?: BusGroup | undefined;
  /** Messages that waited in vain for the server. */
  readonly onLost: (count: number) => void;
  /** Somebody else publishes. */
  readonly onFenced: () => void;
  /** Of each shard. */
  readonly waitingMax?: number;
}

export interface BusGroup {
  readonly name: string;
  /** Topics that it publishes; the others stay in this process. */
  readonly isSent: (topic: string) => boolean;
  /** Topics that it takes from the primary group. */
  readonly isTaken: (topic: string) => boolean;
  /** The log among them, if any. */
  readonly takenLog?: string;
}

/**
 * The bus of a process that connects to the venues. Within it everything is delivered at once; other processes get it
 * only while this process publishes, and only then does it receive requests of callers.
 */
export class IngestBus implements Bus {
  readonly #options: IngestBusOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #local: LocalBus;
  readonly #mirrors: readonly BusMirror[];
  readonly #links: readonly RedisLink[];
  readonly #shards: readonly Shard[];
  /** Of the primary group's bus, where this is another's. */
  readonly #primaryMirrors: readonly BusMirror[];
  readonly #primaryLinks: readonly RedisLink[];
  readonly #asks: BusAsks;
  readonly #openedAtMs: number[] = [];
  #outboxes: readonly BusOutbox[] | undefined;
  #pulse: Timer | undefined;

  static async open(options: IngestBusOptions): Promise<IngestBus> {
    const bus = new IngestBus(options);
    try {
      await bus.#start();
    } catch (error) {
      // The next try opens connections of its own.
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
    this.#asks = new BusAsks({
      link,
      connect,
      prefix,
      log,
      clock,
      onAsk: (topic, message) => this.#local.publish(topic, message),
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

  /** Whether other processes get it from this one. */
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

  /** The topics that have a log, and it. */
  logs(): ReturnType<LocalBus['logs']> {
    return this.#local.logs();
  }

  /** Messages that wait to be sent. */
  get waiting(): number {
    return (this.#outboxes ?? []).reduce((sum, outbox) => sum + outbox.waiting, 0);
  }

  /** Resolves when everything published so far has been sent; rejects when that cannot be at the moment. */
  async flushed(): Promise<void> {
    await Promise.all((this.#outboxes ?? []).map((outbox) => outbox.flushed()));
  }

  /**
   * Begins to publish. From here on the publisher before is refused; what it said is here when this resolves, what it
   * had not said yet is said now, and every newest message is this process's own. Rejects when the server cannot be
   * reached, or somebody else was faster; to be tried again or given up. Once it has resolved, another call changes
   * nothing.
   */
  async lead(token: number): Promise<void> {
    // They continue by themselves, and report when another was faster.
    if (this.#outboxes) return this.#asks.start(ASKED_MS);
    const { link, isCopied, onLost, onFenced, waitingMax } = this.#options;
    const shards = this.#shards;
    await Promise.all(shards.map(({ fence }) => runFenced(fenceScript, link, [fence], [token])));
    await Promise.all(this.#mirrors.map((mirror) => mirror.settled()));
    const said = await this.#saidBefore();
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
      const before = said.get(topic.name) ?? [];
      const isSaid = topic.isSaid ?? isAmong(before);
      for (const event of log.since(clock.now() - SEAM_MS)) {
        if (isSaid(event, before)) continue;
        before.push(event);
        send(topic, event);
      }
    }
    const beat = (): void => {
      for (const topic of pulseTopics) this.publish(topic, { atMs: clock.now() });
    };
    this.#pulse = systemClock.every(PULSE_EVERY_MS, beat);
    beat();
    await this.#asks.start(ASKED_MS);
  }

  /** What was published on the logs shortly before, by topic, oldest first. */
  async #saidBefore(): Promise<ReadonlyMap<string, unknown[]>> {
    const { link } = this.#options;
    const said = new Map<string, unknown[]>();
    const note = ({ parts }: LogBatch): void => {
      for (const { name, messages } of parts) {
        const known = said.get(name) ?? [];
        for (const message of messages) known.push(message);
        said.set(name, known);
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
    return said;
  }

  async stop(): Promise<void> {
    this.#pulse?.cancel();
    await this.flushed().catch((error: unknown) =>
      this.#log.warn({ err: error, messages: this.waiting }, 'what was published last could not be sent'),
    );
    for (const outbox of this.#outboxes ?? []) outbox.stop();
    for (const link of [...this.#links, ...this.#primaryLinks]) disconnect(link);
    const mirrors = [...this.#mirrors, ...this.#primaryMirrors];
    await Promise.all([...mirrors.map((mirror) => mirror.stop()), this.#asks.stop()]);
  }
}

/** Whether a message was said word for word. */
function isAmong(said: readonly unknown[]): (message: unknown) => boolean {
  const texts = new Set(said.map((one) => JSON.stringify(one)));
  return (message) => texts.has(JSON.stringify(message));
}
