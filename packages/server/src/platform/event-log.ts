import type { Clock } from '@crosstape/core';
import type { Dated } from './bus.ts';

export interface EventLogOptions {
  readonly clock: Clock;
  readonly keepMs: number;
  readonly entriesMax: number;
}

/** Where a reader that saw everything up to `ts` goes on, and what it can no longer have. */
export interface Resumption {
  /** Position of the first event to send. */
  readonly position: number;
  readonly lost?: { readonly fromTs: number; readonly toTs: number };
}

interface Entry<Event> {
  readonly event: Event;
  readonly publishedAtMs: number;
}

/**
 * The events of a while, in order of publication, each at a position that never changes. Bounded by age and by
 * count; what has left is remembered only as the newest time that was dropped.
 */
export class EventLog<Event extends Dated> {
  readonly #clock: Clock;
  readonly #keepMs: number;
  readonly #entriesMax: number;
  #entries: Entry<Event>[] = [];
  /** Index in `#entries` of the oldest entry still kept; the dead part before it is cut off now and then. */
  #head = 0;
  /** Position of `#entries[0]`. */
  #origin = 0;
  #newestTs: number | undefined;
  #droppedTs: number | undefined;
  #first: { readonly ts: number; readonly publishedAtMs: number } | undefined;
  readonly #openedAtMs: number;

  constructor({ clock, keepMs, entriesMax }: EventLogOptions) {
    this.#clock = clock;
    this.#keepMs = keepMs;
    this.#entriesMax = entriesMax;
    this.#openedAtMs = clock.now();
  }

  append(event: Event): void {
    const publishedAtMs = this.#clock.now();
    this.#entries.push({ event, publishedAtMs });
    this.#first ??= { ts: event.ts, publishedAtMs };
    if (this.#newestTs === undefined || event.ts > this.#newestTs) this.#newestTs = event.ts;
    this.#evict(publishedAtMs);
  }

  /** Position that the next event will get. */
  get end(): number {
    return this.#origin + this.#entries.length;
  }

  get start(): number {
    return this.#origin + this.#head;
  }

  /** Largest `ts` ever published. */
  get newestTs(): number | undefined {
    return this.#newestTs;
  }

  /** Oldest first; `undefined` for a position that is gone or not there yet. */
  at(position: number): Event | undefined {
    return position < this.start ? undefined : this.#entries[position - this.#origin]?.event;
  }

  /** From the first published event with `ts` ≥ the given one: it and everything published after it. */
  resume(ts: number): Resumption {
    const lost = this.#lostSince(ts);
    if (this.#isBeforeFirstEvent(ts)) return { position: this.start };
    let position = this.end;
    for (let i = this.#head; i < this.#entries.length; i += 1) {
      if ((this.#entries[i] as Entry<Event>).event.ts >= ts) {
        position = this.#origin + i;
        break;
      }
    }
    return lost ? { position, lost } : { position };
  }

  /** A heartbeat sent before there was any event carries the clock's time, which can be ahead of the first event. */
  #isBeforeFirstEvent(ts: number): boolean {
    return (
      this.#first !== undefined &&
      this.#droppedTs === undefined &&
      ts >= this.#openedAtMs &&
      ts <= this.#first.publishedAtMs
    );
  }

  #lostSince(ts: number): { fromTs: number; toTs: number } | undefined {
    const toTs = this.#droppedTs ?? Math.min(this.#openedAtMs, this.#first?.ts ?? this.#openedAtMs) - 1;
    return toTs >= ts ? { fromTs: ts, toTs } : undefined;
  }

  #evict(nowMs: number): void {
    const oldestMs = nowMs - this.#keepMs;
    while (this.#head < this.#entries.length) {
      const entry = this.#entries[this.#head] as Entry<Event>;
      if (entry.publishedAtMs >= oldestMs && this.#entries.length - this.#head <= this.#entriesMax) break;
      if (this.#droppedTs === undefined || entry.event.ts > this.#droppedTs) this.#droppedTs = entry.event.ts;
      this.#head += 1;
    }
    if (this.#head > 1024 && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#origin += this.#head;
      this.#head = 0;
    }
  }
}
