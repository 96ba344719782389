import type { Clock } from '@crosstape/core';
import type { Dated } from './bus.ts';

export interface EventLogOptions {
  readonly clock: Clock;
  readonly keepMs: number;
  readonly entriesMax: number;
  /** Since when the log has missed nothing; what was published before, it cannot know. */
  readonly openedAtMs: number;
}

/** Where a reader goes on that gave an id, and whether that is all it asked for. */
export interface Resumption {
  /** Position of the first event to send. */
  readonly position: number;
  /** Everything published since the id is still there. */
  readonly resumed: boolean;
  /** Times of what may be gone. Absent when resumed, and when the id is ahead of everything published. */
  readonly lost?: { readonly fromTs: number; readonly toTs: number };
}

interface Entry<Event> {
  readonly event: Event;
  readonly publishedAtMs: number;
  /** The largest `ts` published so far: unlike `ts` it never decreases, so it can be searched. */
  readonly reachedTs: number;
}

/**
 * The events of a while, in order of publication, each at a position that never changes. Bounded by age and by
 * count; of what has left only the extent in time is remembered.
 */
export class EventLog<Event extends Dated> {
  readonly #clock: Clock;
  readonly #keepMs: number;
  readonly #entriesMax: number;
  #openedAtMs: number;
  #entries: Entry<Event>[] = [];
  /** Index in `#entries` of the oldest entry still kept; the dead part before it is cut off now and then. */
  #head = 0;
  /** Position of `#entries[0]`. */
  #origin = 0;
  /** Of all dropped events: the largest `ts`, and the most that one was behind an event published before it. */
  #dropped: { readonly reachedTs: number; readonly lagMs: number } | undefined;
  #first: { readonly ts: number; readonly publishedAtMs: number } | undefined;

  constructor({ clock, keepMs, entriesMax, openedAtMs }: EventLogOptions) {
    this.#clock = clock;
    this.#keepMs = keepMs;
    this.#entriesMax = entriesMax;
    this.#openedAtMs = openedAtMs;
  }

  /** One that was published elsewhere says when. */
  append(event: Event, publishedAtMs = this.#clock.now()): void {
    const before = this.#entries.at(-1)?.reachedTs ?? event.ts;
    this.#entries.push({ event, publishedAtMs, reachedTs: Math.max(before, event.ts) });
    this.#first ??= { ts: event.ts, publishedAtMs };
    this.#evict(publishedAtMs);
  }

  /**
   * Something was missed: nothing that came before counts as whole any more. It has a position of its own, which is
   * gone at once, so that whoever had read everything is behind as well.
   */
  forget(): void {
    for (const { event, reachedTs } of this.#entries.slice(this.#head)) this.#drop(event, reachedTs);
    this.#origin += this.#entries.length + 1;
    this.#entries = [];
    this.#head = 0;
    this.#openedAtMs = this.#clock.now();
  }

  /** Position that the next event will get. */
  get end(): number {
    return this.#origin + this.#entries.length;
  }

  get start(): number {
    return this.#origin + this.#head;
  }

  /** Everything published with this `ts` or a later one is still here. */
  get completeFromTs(): number {
    return Math.max(this.#openedAtMs, this.#dropped ? this.#dropped.reachedTs + 1 : this.#openedAtMs);
  }

  /** Oldest first; `undefined` for a position that is gone or not there yet. */
  at(position: number): Event | undefined {
    return position < this.start ? undefined : this.#entries[position - this.#origin]?.event;
  }

  /** Up to `count` events from a position on that the log still has. */
  read(position: number, count: number): readonly Event[] {
    const from = Math.max(position, this.start) - this.#origin;
    return this.#entries.slice(from, from + count).map(({ event }) => event);
  }

  /** What was published at a time or later, as far as it is kept. */
  since(publishedMs: number): readonly Event[] {
    let from = this.#entries.length;
    while (from > this.#head && (this.#entries[from - 1] as Entry<Event>).publishedAtMs >= publishedMs)
      from -= 1;
    return this.#entries.slice(from).map(({ event }) => event);
  }

  /**
   * The id for a reader that has had everything before `position`: the largest `ts` before it, or the clock (at
   * the first publication, if there was one) when nothing was before it. Whoever resumes with it misses nothing.
   */
  idAt(position: number): number {
    if (position > this.start) return (this.#entries[position - 1 - this.#origin] as Entry<Event>).reachedTs;
    return this.#dropped?.reachedTs ?? this.#first?.publishedAtMs ?? this.#clock.now();
  }

  /** From the first published event with `ts` ≥ the given one: it and everything published after it. */
  resume(ts: number): Resumption {
    const isBeforeFirst = this.#isBeforeFirstEvent(ts);
    const position = isBeforeFirst ? this.start : this.#firstReaching(ts);
    const dropped = this.#dropped;
    if (dropped && (isBeforeFirst || dropped.reachedTs >= ts)) {
      const since = isBeforeFirst ? Math.min(ts, this.#first?.ts ?? ts) : ts;
      return this.#incomplete(since - dropped.lagMs, Math.max(dropped.reachedTs, since));
    }
    // From before this log: unless that very event was published here again, more may have followed it elsewhere.
    if (ts < this.#openedAtMs && this.at(position)?.ts !== ts)
      return this.#incomplete(ts, this.#openedAtMs - 1);
    return { position, resumed: isBeforeFirst || position < this.end };
  }

  /** What was dropped may have been followed by events with a smaller `ts`, so all that is left goes out. */
  #incomplete(fromTs: number, toTs: number): Resumption {
    return { position: this.start, resumed: false, lost: { fromTs, toTs } };
  }

  /** An id given out before there was any event is the clock's time, which can be ahead of the first event. */
  #isBeforeFirstEvent(ts: number): boolean {
    return ts >= this.#openedAtMs && ts <= (this.#first?.publishedAtMs ?? this.#clock.now());
  }

  #firstReaching(ts: number): number {
    let low = this.#head;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle] as Entry<Event>).reachedTs >= ts) high = middle;
      else low = middle + 1;
    }
    return this.#origin + low;
  }

  #drop(event: Event, reachedTs: number): void {
    const lagMs = Math.max(this.#dropped?.lagMs ?? 0, reachedTs - event.ts);
    this.#dropped = { reachedTs, lagMs };
  }

  #evict(nowMs: number): void {
    const oldestMs = nowMs - this.#keepMs;
    while (this.#head < this.#entries.length) {
      const entry = this.#entries[this.#head] as Entry<Event>;
      if (entry.publishedAtMs >= oldestMs && this.#entries.length - this.#head <= this.#entriesMax) break;
      this.#drop(entry.event, entry.reachedTs);
      this.#head += 1;
    }
    if (this.#head > 1024 && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#origin += this.#head;
      this.#head = 0;
    }
  }
}
