import type { Clock } from '@crosstape/core';
import { isBefore, type LogPart, newestEntry, readEntry, type Shard } from './bus-wire.ts';
import type { Log } from '../platform/log.ts';
import { isConnected, type RedisLink } from './redis.ts';

/** How long a blocking read waits for new entries. */
const BLOCK_MS = 1_000;
const ENTRIES_PER_READ = 64;
const RETRY_MS = 200;
const FIRST = '0-0';

export interface MirrorOptions {
  /** For commands that return at once. */
  readonly link: RedisLink;
  /** For blocking reads: a command behind one would wait for it. */
  readonly reader: RedisLink;
  readonly shard: Shard;
  readonly log: Log;
  /** Whether logs are read in addition to newest messages; default: true. */
  readonly readsLog?: boolean;
  /** Real time, for retry delays. */
  readonly timing: Clock;
  /** Messages of one topic and their publication time. */
  readonly onLog: (part: LogPart, atMs: number) => void;
  readonly onLatest: (name: string, message: unknown) => void;
  /** This shard's logs lack messages published before this time. */
  readonly onMissed: (atMs: number) => void;
  /** Resume after this entry of the log (see `logId`); default: the oldest entry. */
  readonly afterId?: string | undefined;
}

type Fields = readonly string[];
type StreamEntry = readonly [id: string, fields: Fields | null];

/** Waits until the mirror has reached an entry. */
interface Waiting {
  readonly id: string;
  readonly done: () => void;
  readonly fail: (error: Error) => void;
}

/** Follows one shard: reads the retained entries, then new ones, in order and without gaps. */
export class BusMirror {
  readonly #options: MirrorOptions;
  /** By topic: the publication of its newest message. */
  readonly #stamps = new Map<string, string>();
  #logId: string;
  #newsId = FIRST;
  #isOver = false;
  #running: Promise<void> | undefined;
  readonly #waiting = new Set<Waiting>();

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#logId = options.afterId ?? FIRST;
  }

  /** The newest log entry that was received. */
  get logId(): string {
    return this.#logId;
  }

  /** Time of the oldest retained entry; `undefined` if there is none. */
  async oldestMs(): Promise<number | undefined> {
    const { link, shard } = this.#options;
    await isConnected(link);
    const [entry] = await link.xrange(shard.log, '-', '+', 'COUNT', 1);
    return entry && readEntry(entry[1]).atMs;
  }

  /** Reads the retained entries and follows new ones. */
  async start(): Promise<void> {
    await this.#takeLatest();
    for (let isMore = this.#readsLog; isMore && !this.#isOver; ) isMore = await this.#takeLogs();
    this.#running = this.#follow();
  }

  /** Delivers nothing after this call, not even entries that are being read. */
  async stop(): Promise<void> {
    this.#isOver = true;
    for (const { fail } of this.#waiting) fail(new Error('the bus is closed'));
    this.#waiting.clear();
    await this.#running;
  }

  /** Resolves once everything published so far has been received. */
  async settled(): Promise<void> {
    const { link, shard } = this.#options;
    const named = newestEntry(await link.get(shard.done));
    if (named === '' || !isBefore(this.#logId, named)) return;
    // After a server was wiped, the entry that the publisher names is gone and cannot be waited for.
    const [[held] = [FIRST]] = await link.xrevrange(shard.log, '+', '-', 'COUNT', 1);
    const id = isBefore(held, named) ? held : named;
    if (!isBefore(this.#logId, id)) return;
    if (this.#isOver) throw new Error('the bus is closed');
    await new Promise<void>((done, fail) => this.#waiting.add({ id, done, fail }));
  }

  /** Publishes every newest message again. */
  async republish(): Promise<void> {
    this.#stamps.clear();
    await this.#takeLatest();
  }

  async #follow(): Promise<void> {
    const { reader, link, log, timing } = this.#options;
    let isFailing = false;
    while (!this.#isOver) {
      try {
        await isConnected(reader);
        await isConnected(link);
        if (isFailing) await this.#takeLatest();
        await this.#read();
        isFailing = false;
      } catch (error) {
        if (this.#isOver) return;
        if (!isFailing) log.warn({ err: error }, 'the bus cannot be read; the last values stay');
        isFailing = true;
        await new Promise<void>((resolve) => void timing.after(RETRY_MS, resolve));
      }
    }
  }

  get #readsLog(): boolean {
    return this.#options.readsLog ?? true;
  }

  async #read(): Promise<void> {
    const { reader, shard } = this.#options;
    const streams = this.#readsLog
      ? [shard.log, shard.news, this.#logId, this.#newsId]
      : [shard.news, this.#newsId];
    const found = await reader.xread('COUNT', ENTRIES_PER_READ, 'BLOCK', BLOCK_MS, 'STREAMS', ...streams);
    for (const [name, entries] of found ?? []) {
      if (name === shard.log) this.#takeEntries(entries);
      else await this.#takeNews(entries);
    }
  }

  async #takeLogs(): Promise<boolean> {
    const { link, shard } = this.#options;
    const from = this.#logId === FIRST ? '-' : `(${this.#logId}`;
    const entries = await link.xrange(shard.log, from, '+', 'COUNT', ENTRIES_PER_READ);
    this.#takeEntries(entries);
    return entries.length === ENTRIES_PER_READ;
  }

  #takeEntries(entries: readonly StreamEntry[]): void {
    const { onLog, onMissed } = this.#options;
    if (this.#isOver) return;
    for (const [id, fields] of entries) {
      const last = this.#logId;
      this.#logId = id;
      if (!fields) continue;
      const { atMs, isAfterLoss, parts, before } = readEntry(fields);
      // A new reader has not missed earlier entries.
      if (isAfterLoss || (last !== FIRST && before !== '' && isBefore(last, before))) onMissed(atMs);
      for (const part of parts) onLog(part, atMs);
    }
    for (const waiter of this.#waiting) {
      if (isBefore(this.#logId, waiter.id)) continue;
      this.#waiting.delete(waiter);
      waiter.done();
    }
  }

  async #takeNews(entries: readonly StreamEntry[]): Promise<void> {
    for (const [id, fields] of entries) {
      const isNext = fields?.[1] === this.#newsId;
      this.#newsId = id;
      // Otherwise some were removed before they were read.
      if (!isNext) await this.#takeLatest();
      if (!fields) continue;
      for (let i = 2; i < fields.length; i += 2) this.#deliver(fields[i] as string, fields[i + 1] as string);
    }
  }

  async #takeLatest(): Promise<void> {
    const { link, shard } = this.#options;
    const [newest] = await link.xrevrange(shard.news, '+', '-', 'COUNT', 1);
    if (newest && this.#newsId === FIRST) this.#newsId = newest[0];
    for (const [name, text] of Object.entries(await link.hgetall(shard.latest))) this.#deliver(name, text);
  }

  #deliver(name: string, text: string): void {
    if (this.#isOver) return;
    const [stamp, message] = JSON.parse(text) as [string, unknown];
    const before = this.#stamps.get(name);
    if (before !== undefined && !isBefore(before, stamp)) return;
    this.#stamps.set(name, stamp);
    this.#options.onLatest(name, message);
  }
}
