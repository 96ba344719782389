import type { Clock, Timer } from '@crosstape/core';
import type {
  Bus,
  Dated,
  LatestTopic,
  LogTopic,
  MissedListener,
  Retained,
  Topic,
  Unsubscribe,
} from './bus.ts';
import type { EventLog } from './event-log.ts';
import { LocalBus } from './local-bus.ts';
import { systemClock } from './system-clock.ts';

/** An ingester publishes at least once a second. Silence for longer than this means that it, or the link, is down. */
const SILENT_MS = 5_000;
const WATCH_EVERY_MS = 500;

/** The publisher whose links exist from the start. */
export const FIRST_PUBLISHER = '';

export interface MirroredBusOptions {
  readonly clock: Clock;
  readonly silentMs?: number;
  /** Independent links of the first publisher; if one is silent, the publisher counts as silent. */
  readonly links: number;
  /** Since when the log of a topic is complete. */
  readonly openedAtMs: (topic: string) => number;
  /** Whether everything that can be recorded is, so that busy logs may be short. */
  readonly isRecorded?: boolean;
  /** For a topic with a newest message from each of several publishers: joins them, the first publisher's first. */
  readonly joinOf?: (topic: string) => ((messages: readonly unknown[]) => unknown) | undefined;
}

/** Rewrites a message of a publisher that has been silent since then. */
type StaleLabel<Message> = (message: Message, sinceMs: number, publisher: string) => Message;

/** When each link last delivered: on the service's clock, and in real time, which measures silence. */
interface Links {
  readonly receivedMs: number[];
  readonly receivedAtMs: number[];
  isSilent: boolean;
}

/**
 * The bus of a gateway: a copy of what ingesters publish, logs included, so that every message is decoded once and read
 * from memory. Only gateway topics travel the other way.
 */
export abstract class MirroredBus implements Bus {
  protected readonly local: LocalBus;
  readonly #clock: Clock;
  readonly #silentMs: number;
  readonly #watch: Timer;
  readonly #joinOf: NonNullable<MirroredBusOptions['joinOf']>;
  readonly #listeners = new Set<(isSilent: boolean, publisher: string) => void>();
  /** By topic: how its newest message is rewritten while its publisher is silent. */
  readonly #labels = new Map<string, StaleLabel<unknown>>();
  /** By topic that is labelled or joined, and by publisher: the newest message as it was published. */
  readonly #parts = new Map<string, Map<string, unknown>>();
  readonly #links = new Map<string, Links>();

  protected constructor({
    clock,
    silentMs = SILENT_MS,
    links,
    openedAtMs,
    isRecorded = false,
    joinOf = () => undefined,
  }: MirroredBusOptions) {
    this.#clock = clock;
    this.#silentMs = silentMs;
    this.#joinOf = joinOf;
    this.local = new LocalBus(clock, openedAtMs, { isRecorded });
    this.addPublisher(FIRST_PUBLISHER, links);
    this.#watch = systemClock.every(WATCH_EVERY_MS, () => this.#checkSilence());
  }

  /** Sends a message of a gateway's topic to the ingester. */
  protected abstract send(topic: Topic<unknown>, message: unknown): void;
  abstract settled(topic: LogTopic<unknown>): Promise<void>;
  /** Delivers the newest message of every topic again, as it was published. */
  abstract republish(): Promise<void>;

  publish<Message>(topic: Topic<Message>, message: Message): void {
    if (topic.by !== 'gateway') throw new Error(`${topic.name} is not for a gateway to publish`);
    this.local.publish(topic, message);
    this.send(topic, message);
  }

  subscribe<Message>(topic: Topic<Message>, listener: (message: Message) => void): Unsubscribe {
    return this.local.subscribe(topic, listener);
  }

  latest<Message>(topic: LatestTopic<Message>): Retained<Message> | undefined {
    return this.local.latest(topic);
  }

  log<Message extends Dated>(topic: LogTopic<Message>): EventLog<Message> {
    return this.local.log(topic);
  }

  onMissed(listener: MissedListener): Unsubscribe {
    return this.local.onMissed(listener);
  }

  /** At least one link of a publisher has delivered nothing for a while, so its newest messages may be outdated. */
  isSilentOf(publisher: string): boolean {
    return this.#links.get(publisher)?.isSilent ?? true;
  }

  /** The same of the first publisher. */
  get isSilent(): boolean {
    return this.isSilentOf(FIRST_PUBLISHER);
  }

  /** Called when a publisher becomes silent, and when it is no longer. */
  onSilence(listener: (isSilent: boolean, publisher: string) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Rewrites the newest messages of a topic while their publisher is silent: the current one, and those that still
   * arrive over other links. `republish` restores the originals. Given when every link has last delivered.
   */
  markStaleWhileSilent<Message>(topic: LatestTopic<Message>, label: StaleLabel<Message>): void {
    const { name } = topic;
    this.#labels.set(name, label as StaleLabel<unknown>);
    const known = this.local.latest(topic);
    if (known && !this.#parts.has(name)) this.#parts.set(name, new Map([[FIRST_PUBLISHER, known.message]]));
  }

  protected addPublisher(publisher: string, links: number): void {
    this.#links.set(publisher, {
      receivedMs: Array.from({ length: links }, () => this.#clock.now()),
      receivedAtMs: Array.from({ length: links }, () => systemClock.now()),
      isSilent: false,
    });
  }

  /** Its newest messages are no longer joined with others'. */
  protected removePublisher(publisher: string): void {
    this.#links.delete(publisher);
    for (const [name, parts] of this.#parts) {
      if (!parts.delete(publisher)) continue;
      if (parts.size > 0) this.#publishParts(name);
      else this.#parts.delete(name);
    }
  }

  protected receiveLog(topic: LogTopic<unknown>, messages: readonly unknown[], atMs: number): void {
    for (const message of messages) this.local.publish(topic, message, atMs);
  }

  protected receiveLatest(name: string, message: unknown, publisher = FIRST_PUBLISHER): void {
    if (!this.#labels.has(name) && !this.#joinOf(name)) {
      this.local.publish({ name, keep: { kind: 'latest' } }, message);
      return;
    }
    const parts = this.#parts.get(name) ?? new Map<string, unknown>();
    this.#parts.set(name, parts.set(publisher, message));
    this.#publishParts(name);
  }

  #publishParts(name: string): void {
    const label = this.#labels.get(name);
    const messages: unknown[] = [];
    for (const [publisher, message] of this.#parts.get(name) ?? []) {
      const links = this.#links.get(publisher);
      const isStale = label && links?.isSilent;
      const current = isStale ? label(message, Math.min(...links.receivedMs), publisher) : message;
      if (publisher === FIRST_PUBLISHER) messages.unshift(current);
      else messages.push(current);
    }
    const join = this.#joinOf(name);
    this.local.publish({ name, keep: { kind: 'latest' } }, join ? join(messages) : messages[0]);
  }

  protected received(link: number, publisher = FIRST_PUBLISHER): void {
    const links = this.#links.get(publisher);
    if (!links) return;
    links.receivedMs[link] = this.#clock.now();
    links.receivedAtMs[link] = systemClock.now();
  }

  /** The link is known to be broken: its publisher is silent from now on, without waiting for the limit. */
  protected broken(link: number): void {
    const links = this.#links.get(FIRST_PUBLISHER);
    if (links) links.receivedAtMs[link] = Number.NEGATIVE_INFINITY;
    this.#checkSilence();
  }

  protected stopWatching(): void {
    this.#watch.cancel();
  }

  #checkSilence(): void {
    for (const [publisher, links] of this.#links) {
      const isSilent = systemClock.now() - Math.min(...links.receivedAtMs) > this.#silentMs;
      if (isSilent === links.isSilent) continue;
      links.isSilent = isSilent;
      for (const name of isSilent ? this.#labels.keys() : [])
        if (this.#parts.get(name)?.has(publisher)) this.#publishParts(name);
      for (const listener of this.#listeners) listener(isSilent, publisher);
    }
  }
}
