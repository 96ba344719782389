import type { Clock } from '@crosstape/core';
import { BusAsks } from './bus-asks.ts';
import type { LogTopic, Topic } from '../platform/bus.ts';
import { BusMirror } from './bus-mirror.ts';
import { shardNumber, shardsOf } from './bus-wire.ts';
import type { Log } from '../platform/log.ts';
import { MirroredBus } from '../platform/mirrored-bus.ts';
import { disconnect, type RedisLink } from './redis.ts';
import { systemClock } from '../platform/system-clock.ts';

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

/** The bus of a gateway on Redis: one link per shard, since each may lie on another server. */
export class GatewayBus extends MirroredBus {
  readonly #mirrors: readonly BusMirror[];
  readonly #links: readonly RedisLink[];
  readonly #asks: BusAsks;
  readonly #openedAtMs: number[];

  static async open(options: GatewayBusOptions): Promise<GatewayBus> {
    const bus = new GatewayBus(options);
    await bus.#start(options.clock.now());
    return bus;
  }

  private constructor(options: GatewayBusOptions) {
    const { clock, log, prefix, link, connect, silentMs } = options;
    const shards = shardsOf(prefix);
    const openedAtMs: number[] = [];
    super({
      clock,
      links: shards.length,
      openedAtMs: (name) => openedAtMs[shardNumber(name)] as number,
      ...(silentMs !== undefined && { silentMs }),
    });
    this.#openedAtMs = openedAtMs;
    this.#links = shards.map(() => connect());
    this.#mirrors = shards.map(
      (shard, i) =>
        new BusMirror({
          link,
          reader: this.#links[i] as RedisLink,
          shard,
          log,
          timing: systemClock,
          onLog: ({ name, messages, ...keep }, atMs) => {
            this.received(i);
            this.receiveLog({ name, keep: { kind: 'log', ...keep } }, messages, atMs);
          },
          onLatest: (name, message) => {
            this.received(i);
            this.receiveLatest(name, message);
          },
          onMissed: () => {
            log.error({ shard: i }, 'messages were missed; subscribers are asked to reconnect');
            this.local.miss((name) => shardNumber(name) === i);
          },
        }),
    );
    this.#asks = new BusAsks({
      link,
      connect,
      prefix,
      log,
      clock,
      onAsk: (topic, message) => this.local.publish(topic, message),
    });
  }

  async #start(nowMs: number): Promise<void> {
    await Promise.all(
      this.#mirrors.map(async (mirror, i) => {
        this.#openedAtMs[i] = (await mirror.oldestMs()) ?? nowMs;
      }),
    );
    await Promise.all([...this.#mirrors.map((mirror) => mirror.start()), this.#asks.start()]);
  }

  protected override send(topic: Topic<unknown>, message: unknown): void {
    this.#asks.send(topic, message);
  }

  override async settled({ name }: LogTopic<unknown>): Promise<void> {
    await this.#mirrors[shardNumber(name)]?.settled();
  }

  override async republish(): Promise<void> {
    await Promise.all(this.#mirrors.map((mirror) => mirror.republish()));
  }

  async stop(): Promise<void> {
    this.stopWatching();
    for (const link of this.#links) disconnect(link);
    await Promise.all([...this.#mirrors.map((mirror) => mirror.stop()), this.#asks.stop()]);
  }
}
