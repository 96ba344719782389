import type { Clock, Timer } from '@crosstape/core';
import type { Bus, Dated, LatestTopic, LogTopic, Retained, Topic, Unsubscribe } from './bus.ts';
import type { EventLog } from './event-log.ts';
import { LocalBus } from './local-bus.ts';
import { systemClock } from './system-clock.ts';

/** The ingester publishes at least once a second. Silence for longer than this means that it, or the link, is down. */
const SILENT_MS = 5_000;
const WATCH_EVERY_MS = 500;

export interface MirroredBusOptions {
  readonly clock: Clock;
  readonly silentMs?: number;
  /** Independent links over which messages arrive; one that is silent makes the whole bus silent. */
  readonly links: number;
  /** Since when the log of a topic is complete. */
  readonly openedAtMs: (topic: string) => number;
  /** Whether everything that can be recorded is, so that busy logs may be short. */
  readonly isRecorded?: boolean;
}

/**
 * The bus of the public side: a copy of what the ingester publishes, logs included, so that every message is decoded
 * once and read from memory. Only topics of the gateway travel the other way.
 */
export abstract class MirroredBus implements Bus {
  protected readonly local: LocalBus;
  readonly #clock: Clock;
  readonly #silentMs: number;
  readonly #watch: Timer;
  readonly #listeners = new Set<(isSilent: boolean) => void>();
  /** By topic: how its newest message is rewritten while the bus is silent. */
  readonly #labels = new Map<string, (message: unknown) => unknown>();
  /** When each link last delivered: on the service's clock, and in real time, by which silence is measured. */
  readonly #receivedMs: number[];
  readonly #receivedAtMs: number[];
  #isSilent = false;

  protected constructor({
    clock,
    silentMs = SILENT_MS,
    links,
    openedAtMs,
    isRecorded = false,
  }: MirroredBusOptions) {
    this.#clock = clock;
    this.#silentMs = silentMs;
    this.local = new LocalBus(clock, openedAtMs, { isRecorded });
    this.#receivedMs = Array.from({ length: links }, () => clock.now());
    this.#receivedAtMs = Array.from({ length: links }, () => systemClock.now());
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

  onMissed(listener: () => void): Unsubscribe {
    return this.local.onMissed(listener);
  }

  /** At least one link has delivered nothing for a while, so the newest messages may be outdated. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Up to when every link has delivered. */
  get lastReceivedMs(): number {
    return Math.min(...this.#receivedMs);
  }

  /** Called when the bus becomes silent, and when it is no longer. */
  onSilence(listener: (isSilent: boolean) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Rewrites the newest message of a topic while the bus is silent: the current one, and those that still arrive over
   * other links. `retell` restores the originals.
   */
  markStaleWhileSilent<Message>(topic: LatestTopic<Message>, label: (message: Message) => Message): void {
    this.#labels.set(topic.name, label as (message: unknown) => unknown);
  }

  protected receiveLog(topic: LogTopic<unknown>, messages: readonly unknown[], atMs: number): void {
    for (const message of messages) this.local.publish(topic, message, atMs);
  }

  protected receiveLatest(name: string, message: unknown): void {
    const label = this.#isSilent ? this.#labels.get(name) : undefined;
    this.local.publish({ name, keep: { kind: 'latest' } }, label ? label(message) : message);
  }

  protected received(link: number): void {
    this.#receivedMs[link] = this.#clock.now();
    this.#receivedAtMs[link] = systemClock.now();
  }

  /** The link is known to be broken: the bus is silent from now on, without waiting for the limit. */
  protected broken(link: number): void {
    this.#receivedAtMs[link] = Number.NEGATIVE_INFINITY;
    this.#checkSilence();
  }

  protected stopWatching(): void {
    this.#watch.cancel();
  }

  #checkSilence(): void {
    const isSilent = systemClock.now() - Math.min(...this.#receivedAtMs) > this.#silentMs;
    if (isSilent === this.#isSilent) return;
    this.#isSilent = isSilent;
    for (const [name, label] of isSilent ? this.#labels : []) {
      const topic: LatestTopic<unknown> = { name, keep: { kind: 'latest' } };
      const known = this.local.latest(topic);
      if (known) this.local.publish(topic, label(known.message));
    }
    for (const listener of this.#listeners) listener(isSilent);
  }
}
