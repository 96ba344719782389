import type { Clock } from '@crosstape/core';
import type { Dated } from './bus.ts';
import { type LogBlock, ObjectBlock, PackedBlock } from './log-block.ts';
import type { PackedRow, Search } from './record-columns.ts';

/** Events of a block. Those of the newest are not packed yet, which takes 100 bytes each, in hundreds of logs. */
const BLOCK_EVENTS = 128;

export interface EventLogOptions {
  readonly clock: Clock;
  readonly keepMs: number;
  readonly entriesMax: number;
  /** With more entries than this, those older than `keepMs` are dropped as well. */
  readonly whileRecorded?: { readonly keepMs: number; readonly entriesMax: number } | undefined;
  /** Since when the log is complete. */
  readonly openedAtMs: number;
  /** Whether the events are kept in columns: they are flat, and there are very many. */
  readonly isPacked?: boolean;
}

/** The position at which a reader with an id resumes, and whether nothing is missing. */
export interface Resumption {
  /** Position of the first event to send. */
  readonly position: number;
  /** Everything published since the id is still there. */
  readonly resumed: boolean;
  /** Times of what may be gone. Absent when resumed, and when the id is ahead of everything published. */
  readonly lost?: { readonly fromTs: number; readonly toTs: number };
}

/** An event that was looked for, and the largest `ts` published up to it: nothing before it has a larger one. */
export interface Found<Event> {
  readonly event: Event;
  readonly reachedTs: number;
}

/**
 * A log of events in order of publication, each at a fixed position. Bounded by age and count; of dropped events only
 * the range of time is kept.
 */
export class EventLog<Event extends Dated> {
  readonly #options: EventLogOptions;
  #openedAtMs: number;
  /** All full except the last. */
  #blocks: LogBlock<Event>[];
  /** Position of the first event of the first block. */
  #origin = 0;
  /** Position of the oldest event that is kept. */
  #start = 0;
  /** Position that the next event will get. */
  #end = 0;
  #reachedTs = Number.NEGATIVE_INFINITY;
  /** Over all dropped events: the largest `ts`, and the largest lag of an event behind an earlier one. */
  #dropped: { readonly reachedTs: number; readonly lagMs: number } | undefined;
  #first: { readonly ts: number; readonly publishedAtMs: number } | undefined;

  constructor(options: EventLogOptions) {
    this.#options = options;
    this.#openedAtMs = options.openedAtMs;
    this.#blocks = [this.#newBlock()];
  }

  /** `publishedAtMs` is given for an event that another process published. */
  append(event: Event, publishedAtMs = this.#options.clock.now()): void {
    this.#reachedTs = Math.max(this.#reachedTs, event.ts);
    this.#newest().push(event, publishedAtMs, this.#reachedTs);
    this.#appended(event.ts, publishedAtMs);
  }

  /** Appends an event as it was packed. `false` if events are kept as objects, or it has no time. */
  appendPacked(event: PackedRow, publishedAtMs: number): boolean {
    const newest = this.#newest();
    const place = event.shape.names.indexOf('ts');
    if (!newest.pushPacked || place < 0) return false;
    const ts = event.number(place);
    this.#reachedTs = Math.max(this.#reachedTs, ts);
    newest.pushPacked(event, ts, publishedAtMs, this.#reachedTs);
    this.#appended(ts, publishedAtMs);
    return true;
  }

  #newest(): LogBlock<Event> {
    return this.#blocks.at(-1) as LogBlock<Event>;
  }

  #appended(ts: number, publishedAtMs: number): void {
    const last = this.#newest();
    this.#end += 1;
    this.#first ??= { ts, publishedAtMs };
    if (last.length === BLOCK_EVENTS) {
      last.seal();
      this.#blocks.push(this.#newBlock());
    }
    this.#evict(publishedAtMs);
  }

  /**
   * Messages were missed: earlier events no longer count as complete. Takes a position that is dropped at once, so that
   * a reader that had read everything is behind as well.
   */
  forget(): void {
    while (this.#start < this.#end) this.#dropOldest();
    this.#end += 1;
    this.#start = this.#end;
    this.#origin = this.#end;
    this.#blocks = [this.#newBlock()];
    this.#reachedTs = Number.NEGATIVE_INFINITY;
    this.#openedAtMs = this.#options.clock.now();
  }

  /** Position that the next event will get. */
  get end(): number {
    return this.#end;
  }

  get start(): number {
    return this.#start;
  }

  /** Everything published with this `ts` or a later one is still here. */
  get completeFromTs(): number {
    return Math.max(this.#openedAtMs, this.#dropped ? this.#dropped.reachedTs + 1 : this.#openedAtMs);
  }

  /** `undefined` for a position that was dropped or does not exist yet. */
  at(position: number): Event | undefined {
    if (position < this.#start || position >= this.#end) return undefined;
    return this.#block(position).event(this.#place(position));
  }

  /** Up to `count` events from a position on that the log still has. */
  read(position: number, count: number): readonly Event[] {
    const from = Math.max(position, this.#start);
    const length = Math.max(0, Math.min(count, this.#end - from));
    return Array.from({ length }, (_, i) => this.#block(from + i).event(this.#place(from + i)));
  }

  /** Retained events published at a time or later. */
  since(publishedMs: number): readonly Event[] {
    let from = this.#end;
    while (from > this.#start && this.#publishedAtMs(from - 1) >= publishedMs) from -= 1;
    return this.read(from, this.#end - from);
  }

  /** The events that pass, the newest first. Cheap also where few of very many do. */
  *search(search: Search<Event>): Generator<Found<Event>> {
    for (let block = this.#blocks.length - 1; block >= 0; block -= 1) {
      const own = this.#blocks[block] as LogBlock<Event>;
      const passes = own.matcher(search);
      if (!passes) continue;
      const first = block === 0 ? this.#start - this.#origin : 0;
      for (let i = own.length - 1; i >= first; i -= 1)
        if (passes(i)) yield { event: own.event(i), reachedTs: own.reachedTs(i) };
    }
  }

  /**
   * The id for a reader that has received everything before `position`: the largest `ts` before it. If there is none,
   * the clock's time, or its time at the first publication. Resuming with it misses nothing.
   */
  idAt(position: number): number {
    if (position > this.#start) return this.#reachedAt(position - 1);
    return this.#dropped?.reachedTs ?? this.#first?.publishedAtMs ?? this.#options.clock.now();
  }

  /** From the first published event with `ts` ≥ the given one: it and everything published after it. */
  resume(ts: number): Resumption {
    const isBeforeFirst = this.#isBeforeFirstEvent(ts);
    const position = isBeforeFirst ? this.#start : this.seek(ts);
    const dropped = this.#dropped;
    if (dropped && (isBeforeFirst || dropped.reachedTs >= ts)) {
      const since = isBeforeFirst ? Math.min(ts, this.#first?.ts ?? ts) : ts;
      return this.#incomplete(since - dropped.lagMs, Math.max(dropped.reachedTs, since));
    }
    // The id is older than this log: unless that event was published here again, more may have followed it elsewhere.
    if (ts < this.#openedAtMs && this.at(position)?.ts !== ts)
      return this.#incomplete(ts, this.#openedAtMs - 1);
    return { position, resumed: isBeforeFirst || position < this.#end };
  }

  /** Position of the first event with `ts` or a later one: all before it are older. */
  seek(ts: number): number {
    let low = this.#start;
    let high = this.#end;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#reachedAt(middle) >= ts) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Events with a smaller `ts` may follow dropped ones, so everything that is left is sent. */
  #incomplete(fromTs: number, toTs: number): Resumption {
    return { position: this.#start, resumed: false, lost: { fromTs, toTs } };
  }

  /** An id issued before the first event is the clock's time, which can be later than that event. */
  #isBeforeFirstEvent(ts: number): boolean {
    return ts >= this.#openedAtMs && ts <= (this.#first?.publishedAtMs ?? this.#options.clock.now());
  }

  #evict(nowMs: number): void {
    while (this.#start < this.#end && !this.#isKept(nowMs - this.#publishedAtMs(this.#start)))
      this.#dropOldest();
  }

  /** Whether the oldest entry stays at this age. */
  #isKept(ageMs: number): boolean {
    const { keepMs, entriesMax, whileRecorded } = this.#options;
    const entries = this.#end - this.#start;
    if (whileRecorded && entries > whileRecorded.entriesMax && ageMs > whileRecorded.keepMs) return false;
    return ageMs <= keepMs && entries <= entriesMax;
  }

  #dropOldest(): void {
    const block = this.#block(this.#start);
    const i = this.#place(this.#start);
    const reachedTs = block.reachedTs(i);
    const lagMs = Math.max(this.#dropped?.lagMs ?? 0, reachedTs - block.ts(i));
    this.#dropped = { reachedTs, lagMs };
    this.#start += 1;
    if (i + 1 < BLOCK_EVENTS) return;
    this.#blocks.shift();
    this.#origin += BLOCK_EVENTS;
  }

  #reachedAt(position: number): number {
    return this.#block(position).reachedTs(this.#place(position));
  }

  #publishedAtMs(position: number): number {
    return this.#block(position).publishedAtMs(this.#place(position));
  }

  #block(position: number): LogBlock<Event> {
    return this.#blocks[Math.floor((position - this.#origin) / BLOCK_EVENTS)] as LogBlock<Event>;
  }

  #place(position: number): number {
    return (position - this.#origin) % BLOCK_EVENTS;
  }

  #newBlock(): LogBlock<Event> {
    return this.#options.isPacked ? new PackedBlock() : new ObjectBlock();
  }
}
