import type { Clock, Timer } from '@crosstape/core';
import { BusRequests } from './bus-requests.ts';
import type { LogTopic, Topic } from '../platform/bus.ts';
import { BusMirror } from './bus-mirror.ts';
import { groupPrefix, shardNumber, shardsOf } from './bus-wire.ts';
import { PRIMARY_GROUP } from './group-name.ts';
import { isOfVenues, isSharedLog, joinOf } from './joined-topics.ts';
import type { Log } from '../platform/log.ts';
import { FIRST_PUBLISHER, MirroredBus } from '../platform/mirrored-bus.ts';
import { disconnect, type RedisLink } from './redis.ts';
import { systemClock } from '../platform/system-clock.ts';
import type { IngesterGroup } from '../features/sources/pages.ts';
import { describeGroup, type VenueGroup } from './venue-groups.ts';

/** How often to look for groups of ingesters. */
const LOOK_EVERY_MS = 1_000;

export interface SharedBusOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Separates live data from a simulated market's. */
  readonly prefix: string;
  /** For commands that return at once. */
  readonly link: RedisLink;
  /** Opens another connection, for blocking reads. */
  readonly connect: () => RedisLink;
}

export interface GatewayBusOptions extends SharedBusOptions {
  readonly silentMs?: number;
  /** Lists the groups of ingesters; default: the primary one only. */
  readonly readGroups?: () => Promise<readonly VenueGroup[]>;
}

/** The bus of one group of ingesters: one link per shard, because shards may be on different servers. */
interface GroupBus {
  readonly venues: readonly string[];
  readonly mirrors: readonly BusMirror[];
  readonly links: readonly RedisLink[];
  /** Since when the log of each shard is complete. */
  readonly openedAtMs: number[];
}

/** An operation on logs that waits until everything published before it has been read. */
interface Held {
  readonly atMs: number;
  readonly run: () => void;
}

/** The bus of a gateway on Redis: joins what all groups of ingesters publish. */
export class GatewayBus extends MirroredBus {
  readonly #options: GatewayBusOptions;
  readonly #groups: Map<string, GroupBus>;
  readonly #requests: BusRequests;
  #looking: Promise<void> | undefined;
  #timer: Timer | undefined;
  #isOver = false;
  #primaryVenues: readonly string[] = [];
  /** By group that is not being read: the entry in the log of each shard to resume after. */
  readonly #readUpTo = new Map<string, readonly string[]>();
  /** Groups that failed to start after subscribers were notified of them. */
  readonly #reported = new Set<string>();
  /** Messages of logs that several groups write, held until all are read and then published in order of time. */
  #held: Held[] | undefined = [];
  /** Publication time of the newest message of each of these logs. */
  readonly #newestMs = new Map<string, number>();

  static async open(options: GatewayBusOptions): Promise<GatewayBus> {
    const bus = new GatewayBus(options);
    try {
      await bus.#start();
    } catch (error) {
      // The next attempt opens its own connections.
      await bus.stop();
      throw error;
    }
    return bus;
  }

  private constructor(options: GatewayBusOptions) {
    const { clock, log, prefix, link, connect, silentMs } = options;
    const groups = new Map<string, GroupBus>();
    const openedAtMs = (topic: string): number =>
      Math.max(...groupsOf(groups, topic).map(([, group]) => group.openedAtMs[shardNumber(topic)] as number));
    super({
      clock,
      links: shardsOf(prefix).length,
      openedAtMs,
      joinOf,
      ...(silentMs !== undefined && { silentMs }),
    });
    this.#options = options;
    this.#groups = groups;
    groups.set(FIRST_PUBLISHER, this.#groupBus(FIRST_PUBLISHER, []));
    this.#requests = new BusRequests({
      link,
      connect,
      prefix,
      log,
      clock,
      onRequest: (topic, message) => this.local.publish(topic, message),
    });
  }

  async #start(): Promise<void> {
    const primary = this.#groups.get(FIRST_PUBLISHER) as GroupBus;
    await Promise.all([this.#startGroup(primary), this.#lookOnce()]);
    const held = (this.#held ?? []).toSorted((a, b) => a.atMs - b.atMs);
    this.#held = undefined;
    for (const { run } of held) run();
    await this.#requests.start();
    if (this.#options.readGroups) this.#timer = systemClock.every(LOOK_EVERY_MS, () => void this.#lookOnce());
  }

  /** Looks for groups. A failure is retried at the next look and does not affect other groups. */
  #lookOnce(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((error: unknown) => this.#options.log.debug({ err: error }, 'groups cannot be read'))
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  protected override send(topic: Topic<unknown>, message: unknown): void {
    this.#requests.send(topic, message);
  }

  override async settled({ name }: LogTopic<unknown>): Promise<void> {
    const groups = groupsOf(this.#groups, name);
    await Promise.all(groups.map(([, { mirrors }]) => (mirrors[shardNumber(name)] as BusMirror).settled()));
  }

  override async republish(): Promise<void> {
    const mirrors = [...this.#groups.values()].flatMap((group) => group.mirrors);
    await Promise.all(mirrors.map((mirror) => mirror.republish()));
  }

  /** The venues of a secondary group. */
  venuesOf(group: string): string | undefined {
    const { venues } = this.#groups.get(group) ?? { venues: [] };
    return venues.length === 0 ? undefined : describeGroup({ venues });
  }

  /** The groups, if there are several, and whether each has a live leader. */
  get ingesters(): readonly IngesterGroup[] {
    if (this.#groups.size === 1) return [];
    return [...this.#groups].map(([name, { venues }]) => ({
      venues: name === FIRST_PUBLISHER ? this.#primaryVenues : venues,
      status: this.isSilentOf(name) ? 'silent' : 'ok',
    }));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#timer?.cancel();
    this.stopWatching();
    const groups = [...this.#groups.values()];
    const stopping = groups.map((group) => stopGroup(group));
    await Promise.all([...stopping, this.#requests.stop()]);
    await this.#looking;
  }

  /** Starts reading new groups and leaves those that are gone for good. */
  async #look(): Promise<void> {
    const found = (await this.#options.readGroups?.()) ?? [];
    if (this.#isOver) return;
    this.#primaryVenues = found.find(({ name }) => name === PRIMARY_GROUP)?.venues ?? this.#primaryVenues;
    const others = new Map(found.flatMap((one) => (one.name === PRIMARY_GROUP ? [] : [[one.name, one]])));
    for (const [name, group] of this.#groups) {
      if (name === FIRST_PUBLISHER || others.has(name)) continue;
      this.#reported.delete(name);
      await this.#leaveGroup(name, group);
    }
    for (const [name, { venues }] of others) {
      if (this.#groups.has(name)) continue;
      await this.#addGroup(name, venues).catch((error: unknown) =>
        this.#options.log.warn({ err: error, venues }, 'the bus of a group of ingesters cannot be read yet'),
      );
    }
  }

  async #addGroup(name: string, venues: readonly string[]): Promise<void> {
    const group = this.#groupBus(name, venues);
    this.addPublisher(name, group.links.length);
    try {
      await this.#readOpenedAt(group);
      if (this.#isOver) return await stopGroup(group);
      this.#groups.set(name, group);
      this.#reportMissed(name, venues);
      await Promise.all(group.mirrors.map((mirror) => mirror.start()));
    } catch (error) {
      await this.#leaveGroup(name, group);
      throw error;
    }
    this.#options.log.info({ venues }, 'the bus of another group of ingesters is read');
  }

  /**
   * Subscribers to markets of a new group may have missed messages: another group published them before, or none did.
   */
  #reportMissed(name: string, venues: readonly string[]): void {
    const isOf = (topic: string): boolean => isOfVenues(topic, venues);
    if (this.#reported.has(name) || !this.local.isKnown(isOf)) return;
    this.#reported.add(name);
    this.local.miss(isOf);
  }

  /** If the group returns, entries already read are not delivered again. */
  async #leaveGroup(name: string, group: GroupBus): Promise<void> {
    this.#groups.delete(name);
    this.removePublisher(name);
    const stopping = stopGroup(group);
    this.#readUpTo.set(
      name,
      group.mirrors.map(({ logId }) => logId),
    );
    await stopping;
  }

  /** Times in a log that several groups write never go back, because the log is searched by time. */
  #receiveShared(topic: LogTopic<unknown>, messages: readonly unknown[], atMs: number): void {
    const newestMs = Math.max(atMs, this.#newestMs.get(topic.name) ?? atMs);
    this.#newestMs.set(topic.name, newestMs);
    this.receiveLog(topic, messages, newestMs);
  }

  #receive(topic: LogTopic<unknown>, messages: readonly unknown[], atMs: number): void {
    if (!isSharedLog(topic.name)) this.receiveLog(topic, messages, atMs);
    else if (this.#held) this.#held.push({ atMs, run: () => this.#receiveShared(topic, messages, atMs) });
    else this.#receiveShared(topic, messages, atMs);
  }

  #groupBus(name: string, venues: readonly string[]): GroupBus {
    const { link, connect, log, prefix } = this.#options;
    const shards = shardsOf(name === FIRST_PUBLISHER ? prefix : groupPrefix(prefix, name));
    const links = shards.map(() => connect());
    const isMissed = (topic: string, i: number): boolean =>
      shardNumber(topic) === i && groupsOf(this.#groups, topic).some(([owner]) => owner === name);
    const mirrors = shards.map(
      (shard, i) =>
        new BusMirror({
          link,
          reader: links[i] as RedisLink,
          shard,
          log,
          timing: systemClock,
          afterId: this.#readUpTo.get(name)?.[i],
          onLog: ({ name: topic, messages, ...keep }, atMs) => {
            this.received(i, name);
            this.#receive({ name: topic, keep: { kind: 'log', ...keep } }, messages, atMs);
          },
          onLatest: (topic, message) => {
            this.received(i, name);
            this.receiveLatest(topic, message, name);
          },
          onMissed: (atMs) => {
            log.error({ shard: i }, 'messages were missed; asking subscribers to reconnect');
            this.local.miss((topic) => isMissed(topic, i));
            const isShared = (topic: string): boolean => isSharedLog(topic) && isMissed(topic, i);
            this.#held?.push({ atMs, run: () => this.local.miss(isShared) });
          },
        }),
    );
    return { venues, mirrors, links, openedAtMs: shards.map(() => this.#options.clock.now()) };
  }

  async #startGroup(group: GroupBus): Promise<void> {
    await this.#readOpenedAt(group);
    await Promise.all(group.mirrors.map((mirror) => mirror.start()));
  }

  async #readOpenedAt({ mirrors, openedAtMs }: GroupBus): Promise<void> {
    await Promise.all(
      mirrors.map(async (mirror, i) => {
        openedAtMs[i] = (await mirror.oldestMs()) ?? this.#options.clock.now();
      }),
    );
  }
}

/** The groups that publish a topic: all of them, the group of its market, or the primary one. */
function groupsOf(
  groups: ReadonlyMap<string, GroupBus>,
  topic: string,
): readonly (readonly [string, GroupBus])[] {
  if (groups.size === 1 || isSharedLog(topic)) return [...groups];
  const owners = [...groups].filter(([, { venues }]) => isOfVenues(topic, venues));
  return owners.length > 0 ? owners : [[FIRST_PUBLISHER, groups.get(FIRST_PUBLISHER) as GroupBus]];
}

async function stopGroup({ links, mirrors }: GroupBus): Promise<void> {
  for (const link of links) disconnect(link);
  await Promise.all(mirrors.map((mirror) => mirror.stop()));
}
