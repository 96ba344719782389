import type { Clock, Timer } from '@crosstape/core';
import { BusAsks } from './bus-asks.ts';
import type { Bus, Dated, LatestTopic, LogTopic, Retained, Topic, Unsubscribe } from './bus.ts';
import { BusMirror } from './bus-mirror.ts';
import { shardNumber, shardsOf } from './bus-wire.ts';
import type { EventLog } from './event-log.ts';
import { LocalBus } from './local-bus.ts';
import type { Log } from './log.ts';
import { disconnect, type RedisLink } from './redis.ts';
import { systemClock } from './system-clock.ts';

/** Whoever publishes says something every second; without a word for so long there is nobody, or no way to hear it. */
const SILENT_MS = 5_000;
const WATCH_EVERY_MS = 500;

export interface SharedBusOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Whose messages these are: live ones or those of a simulated market. */
  readonly prefix: string;
  /** For commands that are answered at once. */
  readonly link: RedisLink;
  /** One more connection, for commands that wait. */
  readonly connect: () => RedisLink;
}

export interface GatewayBusOptions extends SharedBusOptions {
  readonly silentMs?: number;
}

/**
 * The bus of a process that serves callers: a copy of what the publishing ingester says, logs included, so that
 * everything is read and decoded once and delivered from memory. What callers want goes the other way.
 */
export class GatewayBus implements Bus {
  readonly #local: LocalBus;
  readonly #mirrors: readonly BusMirror[];
  readonly #links: readonly RedisLink[];
  readonly #asks: BusAsks;
  readonly #openedAtMs: number[] = [];
  readonly #silentMs: number;
  readonly #watch: Timer;
  readonly #listeners = new Set<(isSilent: boolean) => void>();
  /** By topic: what its newest message becomes while it is silent. */
  readonly #labels = new Map<string, (message: unknown) => unknown>();
  readonly #clock: Clock;
  /** When each shard was last heard … */
  readonly #heardMs: number[];
  /** … and in real time, by which silence is known. */
  readonly #heardAtMs: number[];
  #isSilent = false;

  static async open(options: GatewayBusOptions): Promise<GatewayBus> {
    const bus = new GatewayBus(options);
    await bus.#start(options.clock.now());
    return bus;
  }

  private constructor({ clock, log, prefix, link, connect, silentMs = SILENT_MS }: GatewayBusOptions) {
    this.#silentMs = silentMs;
    this.#clock = clock;
    this.#heardMs = shardsOf(prefix).map(() => clock.now());
    this.#heardAtMs = shardsOf(prefix).map(() => systemClock.now());
    this.#local = new LocalBus(clock, (name) => this.#openedAtMs[shardNumber(name)] as number);
    this.#links = shardsOf(prefix).map(() => connect());
    this.#mirrors = shardsOf(prefix).map(
      (shard, i) =>
        new BusMirror({
          link,
          reader: this.#links[i] as RedisLink,
          shard,
          log,
          timing: systemClock,
          onLog: ({ name, messages, ...keep }, atMs) => {
            this.#hear(i);
            const topic: LogTopic<unknown> = { name, keep: { kind: 'log', ...keep } };
            for (const message of messages) this.#local.publish(topic, message, atMs);
          },
          onLatest: (name, message) => {
            this.#hear(i);
            const label = this.#isSilent ? this.#labels.get(name) : undefined;
            this.#local.publish({ name, keep: { kind: 'latest' } }, label ? label(message) : message);
          },
          onMissed: () => {
            log.error({ shard: i }, 'messages were missed; whoever follows is told to begin anew');
            this.#local.miss((name) => shardNumber(name) === i);
          },
        }),
    );
    this.#asks = new BusAsks({
      link,
      connect,
      prefix,
      log,
      clock,
      onAsk: (topic, message) => this.#local.publish(topic, message),
    });
    this.#watch = systemClock.every(WATCH_EVERY_MS, () => this.#look());
  }

  async #start(nowMs: number): Promise<void> {
    await Promise.all(
      this.#mirrors.map(async (mirror, i) => {
        this.#openedAtMs[i] = (await mirror.oldestMs()) ?? nowMs;
      }),
    );
    await Promise.all([...this.#mirrors.map((mirror) => mirror.start()), this.#asks.start()]);
  }

  publish<Message>(topic: Topic<Message>, message: Message): void {
    if (topic.by !== 'gateway') throw new Error(`${topic.name} is not for a gateway to publish`);
    this.#local.publish(topic, message);
    this.#asks.send(topic, message);
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

  onMissed(listener: () => void): Unsubscribe {
    return this.#local.onMissed(listener);
  }

  async settled({ name }: LogTopic<unknown>): Promise<void> {
    await this.#mirrors[shardNumber(name)]?.settled();
  }

  /** Of a shard nothing has been heard for a while, so that what was heard last is not to be taken for the present. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Up to when every shard was heard. */
  get heardMs(): number {
    return Math.min(...this.#heardMs);
  }

  /** Told when it becomes silent, and when it is not any more. */
  onSilence(listener: (isSilent: boolean) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Has this process alone hear the newest message of a topic otherwise while it is silent: the one that is there, and
   * those that come, since other shards may well be heard. To be told as they are once it is over: `retell`.
   */
  labelWhileSilent<Message>(topic: LatestTopic<Message>, label: (message: Message) => Message): void {
    this.#labels.set(topic.name, label as (message: unknown) => unknown);
  }

  /** Has every newest message told again as it was published. */
  async retell(): Promise<void> {
    await Promise.all(this.#mirrors.map((mirror) => mirror.retell()));
  }

  async stop(): Promise<void> {
    this.#watch.cancel();
    for (const link of this.#links) disconnect(link);
    await Promise.all([...this.#mirrors.map((mirror) => mirror.stop()), this.#asks.stop()]);
  }

  #hear(shard: number): void {
    this.#heardMs[shard] = this.#clock.now();
    this.#heardAtMs[shard] = systemClock.now();
  }

  #look(): void {
    const isSilent = systemClock.now() - Math.min(...this.#heardAtMs) > this.#silentMs;
    if (isSilent === this.#isSilent) return;
    this.#isSilent = isSilent;
    for (const [name, label] of isSilent ? this.#labels : []) {
      const topic: LatestTopic<unknown> = { name, keep: { kind: 'latest' } };
      const known = this.#local.latest(topic);
      if (known) this.#local.publish(topic, label(known.message));
    }
    for (const listener of this.#listeners) listener(isSilent);
  }
}
