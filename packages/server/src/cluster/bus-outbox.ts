import type { Clock } from '@crosstape/core';
import type { Topic } from '../platform/bus.ts';
import { type LogBatch, type LogPart, printBatch, publishScript, type Shard } from './bus-wire.ts';
import { Fenced, type RedisLink, runFenced } from './redis.ts';

/** Log messages of a shard that wait while the server is unreachable; beyond this the older half is dropped. */
const WAITING_MAX = 200_000;
/** Log messages per batch. */
const BATCH_MAX = 2_000;
/** Newest messages per batch; a Lua call takes only a few thousand arguments. */
const NEWS_MAX = 500;
const RETRY_MS = 200;
/** No topic is retained for longer. The server removes whole nodes of a stream, so it keeps slightly more. */
const LOG_KEPT_MS = 12 * 60_000;

export interface OutboxOptions {
  readonly link: RedisLink;
  readonly shard: Shard;
  readonly token: number;
  readonly clock: Clock;
  /** Times retries. */
  readonly timing: Clock;
  readonly waitingMax?: number | undefined;
  /** Called with the number of dropped messages. */
  readonly onLost: (count: number) => void;
  /** Another process publishes now. */
  readonly onFenced: () => void;
}

interface Waiting {
  readonly topic: Topic<unknown>;
  readonly message: unknown;
  readonly atMs: number;
}

interface Batch {
  readonly log: string;
  readonly logs: number;
  readonly news: readonly (readonly [string, string])[];
  /** The counts reached once this batch has been sent. */
  readonly upTo: Passed;
}

/** Messages added so far: of logs, and newest messages without those that replaced a waiting one. */
interface Passed {
  readonly logs: number;
  readonly news: number;
}

interface Flushing {
  readonly upTo: Passed;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Publishes to one shard in order, one batch at a time; messages added meanwhile form the next batch. */
export class BusOutbox {
  readonly #options: OutboxOptions;
  #logs: Waiting[] = [];
  /** By topic: only the newest message waits. */
  #news = new Map<string, unknown>();
  #isAfterLoss = false;
  #number = 0;
  /** The newest entry of the log. */
  #last = '';
  #isSending = false;
  #isOver = false;
  #failure: Error | undefined;
  /** Messages in the batch being sent. */
  #underWay = 0;
  #added: Passed = { logs: 0, news: 0 };
  /** Sent or dropped. */
  #passed: Passed = { logs: 0, news: 0 };
  #flushing: Flushing[] = [];

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  get #waitingMax(): number {
    return this.#options.waitingMax ?? WAITING_MAX;
  }

  get waiting(): number {
    return this.#logs.length + this.#underWay;
  }

  add(topic: Topic<unknown>, message: unknown, atMs = this.#options.clock.now()): void {
    if (this.#isOver) return;
    const { logs, news } = this.#added;
    if (topic.keep.kind === 'latest') {
      // A message that replaces a waiting one keeps its place.
      if (!this.#news.has(topic.name)) this.#added = { logs, news: news + 1 };
      this.#news.set(topic.name, message);
    } else {
      this.#added = { logs: logs + 1, news };
      this.#logs.push({ topic, message, atMs });
    }
    if (this.#logs.length > this.#waitingMax) this.#dropOldest();
    if (!this.#isSending) void this.#sendAll();
  }

  /** Resolves when everything added so far has been sent; rejects if it cannot be sent at the moment. */
  async flushed(): Promise<void> {
    if (this.#isOver) throw new Fenced('another ingester publishes');
    if (this.#failure) throw this.#failure;
    const upTo = this.#added;
    if (this.#hasPassed(upTo)) return;
    await new Promise<void>((resolve, reject) => this.#flushing.push({ upTo, resolve, reject }));
  }

  stop(): void {
    this.#isOver = true;
    this.#logs = [];
    this.#news.clear();
    this.#failFlushing(new Fenced('another ingester publishes'));
  }

  #hasPassed({ logs, news }: Passed): boolean {
    return this.#passed.logs >= logs && this.#passed.news >= news;
  }

  #reportFlushing(): void {
    const flushing = this.#flushing;
    this.#flushing = flushing.filter(({ upTo }) => !this.#hasPassed(upTo));
    for (const { upTo, resolve } of flushing) if (this.#hasPassed(upTo)) resolve();
  }

  #failFlushing(failure: Error): void {
    for (const { reject } of this.#flushing.splice(0)) reject(failure);
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    // Joins the messages of one turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    while (!this.#isOver && (this.#logs.length > 0 || this.#news.size > 0)) await this.#send(this.#take());
    this.#isSending = false;
  }

  #take(): Batch {
    const waiting = this.#logs.splice(0, BATCH_MAX);
    const names = [...this.#news.keys()].slice(0, NEWS_MAX);
    const news = names.map((name) => [name, JSON.stringify(this.#news.get(name))] as const);
    for (const name of names) this.#news.delete(name);
    // Dropped messages count as passed.
    const upTo = { logs: this.#added.logs - this.#logs.length, news: this.#added.news - this.#news.size };
    if (waiting.length === 0) return { log: '', logs: 0, news, upTo };
    const batch = batchOf(waiting, this.#isAfterLoss);
    this.#isAfterLoss = false;
    return { log: printBatch(batch), logs: waiting.length, news, upTo };
  }

  /** Retries until the batch is accepted. */
  async #send({ log, logs, news, upTo }: Batch): Promise<void> {
    const { link, shard, token, timing, onFenced } = this.#options;
    this.#number += 1;
    this.#underWay = logs;
    const number = `${token}:${this.#number}`;
    const keys = [shard.fence, shard.done, shard.log, shard.news, shard.latest];
    const pairs = news.flatMap(([name, text]) => [name, `["${number}",${text}]`]);
    while (!this.#isOver) {
      try {
        const args = [token, this.#number, LOG_KEPT_MS, this.#last, log, ...pairs];
        this.#last = String(await runFenced(publishScript, link, keys, args));
        this.#failure = undefined;
        this.#underWay = 0;
        this.#passed = upTo;
        this.#reportFlushing();
        return;
      } catch (error) {
        if (error instanceof Fenced) {
          this.stop();
          return onFenced();
        }
        this.#failure = error as Error;
        this.#failFlushing(this.#failure);
        await new Promise<void>((resolve) => void timing.after(RETRY_MS, resolve));
      }
    }
  }

  #dropOldest(): void {
    const gone = this.#logs.splice(0, this.#waitingMax / 2);
    this.#isAfterLoss = true;
    this.#options.onLost(gone.length);
  }
}

function batchOf(waiting: readonly Waiting[], isAfterLoss: boolean): LogBatch {
  const parts = new Map<string, LogPart & { messages: unknown[] }>();
  for (const { topic, message } of waiting) {
    const { keep, name } = topic;
    if (keep.kind !== 'log') continue;
    let part = parts.get(name);
    if (!part) {
      const { kind: _, ...kept } = keep;
      parts.set(name, (part = { name, ...kept, messages: [] }));
    }
    part.messages.push(message);
  }
  return { atMs: waiting.at(-1)?.atMs ?? 0, isAfterLoss, parts: [...parts.values()] };
}
