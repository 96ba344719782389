import type { Clock } from '@crosstape/core';
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
import { EventLog } from './event-log.ts';
import type { MessageUnpacker } from './packed-messages.ts';

type Listener = (message: unknown) => void;

interface Line {
  readonly topic: Topic<unknown>;
  readonly listeners: Set<Listener>;
  latest?: Retained<unknown>;
  log?: EventLog<Dated>;
}

export interface LocalBusOptions {
  /** Whether `log` can be read. */
  readonly keepsLogs?: boolean;
  /** Whether everything that can be recorded is, so that busy logs may be short. */
  readonly isRecorded?: boolean;
}

/** The bus of a single process: a publication has reached every listener when `publish` returns. */
export class LocalBus implements Bus {
  readonly #clock: Clock;
  readonly #openedAtMs: (topic: string) => number;
  readonly #options: LocalBusOptions;
  readonly #lines = new Map<string, Line>();
  readonly #missed = new Set<MissedListener>();
  #version = 0;

  /** `openedAtMs`: since when the log of a topic is complete; default: now. */
  constructor(clock: Clock, openedAtMs?: (topic: string) => number, options: LocalBusOptions = {}) {
    this.#clock = clock;
    const nowMs = clock.now();
    this.#openedAtMs = openedAtMs ?? (() => nowMs);
    this.#options = options;
  }

  /** `publishedAtMs` is given for a message that another process published. */
  publish<Message>(topic: Topic<Message>, message: Message, publishedAtMs?: number): void {
    const line = this.#line(topic);
    this.#version += 1;
    if (topic.keep.kind === 'latest') line.latest = { message, version: this.#version };
    else line.log?.append(message as Dated, publishedAtMs);
    for (const listener of line.listeners) listener(message);
  }

  /** The next message of an unpacker. Without a listener it goes to the log as it is. */
  publishPacked(topic: Topic<unknown>, packed: MessageUnpacker, publishedAtMs: number): void {
    const { listeners, log } = this.#line(topic);
    if (listeners.size === 0 && log?.appendPacked(packed, publishedAtMs)) {
      this.#version += 1;
      packed.drop();
    } else this.publish(topic, packed.message(), publishedAtMs);
  }

  subscribe<Message>(topic: Topic<Message>, listener: (message: Message) => void): Unsubscribe {
    const { listeners } = this.#line(topic);
    // One function may subscribe twice: each subscription is its own.
    const own: Listener = (message) => listener(message as Message);
    listeners.add(own);
    return () => listeners.delete(own);
  }

  latest<Message>(topic: LatestTopic<Message>): Retained<Message> | undefined {
    return this.#lines.get(topic.name)?.latest as Retained<Message> | undefined;
  }

  log<Message extends Dated>(topic: LogTopic<Message>): EventLog<Message> {
    return this.#line(topic).log as unknown as EventLog<Message>;
  }

  onMissed(listener: MissedListener): Unsubscribe {
    this.#missed.add(listener);
    return () => this.#missed.delete(listener);
  }

  async settled(): Promise<void> {}

  /** Messages of these topics were missed. */
  miss(isOf: (topic: string) => boolean): void {
    for (const { topic, log } of this.logs()) if (isOf(topic.name)) log.forget();
    for (const listener of this.#missed) listener(isOf);
  }

  /** Whether one of these topics has a subscriber or a log. */
  isKnown(isOf: (topic: string) => boolean): boolean {
    for (const { topic, log, listeners } of this.#lines.values())
      if ((log || listeners.size > 0) && isOf(topic.name)) return true;
    return false;
  }

  /** The newest message of every topic that has one. */
  *newest(): Generator<{ readonly topic: Topic<unknown>; readonly message: unknown }> {
    for (const { topic, latest } of this.#lines.values())
      if (latest) yield { topic, message: latest.message };
  }

  /** The topics that have a log, and their logs. */
  *logs(): Generator<{ readonly topic: Topic<unknown>; readonly log: EventLog<Dated> }> {
    for (const { topic, log } of this.#lines.values()) if (log) yield { topic, log };
  }

  #line(topic: Topic<unknown>): Line {
    let line = this.#lines.get(topic.name);
    if (!line) {
      line = { topic, listeners: new Set() };
      const { keepsLogs = true, isRecorded = false } = this.#options;
      if (topic.keep.kind === 'log' && keepsLogs) {
        const { whileRecorded, ...keep } = topic.keep;
        line.log = new EventLog({
          clock: this.#clock,
          openedAtMs: this.#openedAtMs(topic.name),
          ...keep,
          ...(isRecorded && { whileRecorded }),
        });
      }
      this.#lines.set(topic.name, line);
    }
    return line;
  }
}
