import type { Dated } from './bus.ts';
import { NumberTable } from './number-table.ts';
import { type PackedRow, RecordColumns, type Search } from './record-columns.ts';

/** Part of a log: its events, when each was published, and the largest `ts` up to it. */
export interface LogBlock<Event extends Dated> {
  readonly length: number;
  push(event: Event, publishedAtMs: number, reachedTs: number): void;
  /** The same with an event as it was packed; absent where events are kept as objects. */
  pushPacked?(event: PackedRow, ts: number, publishedAtMs: number, reachedTs: number): void;
  event(i: number): Event;
  ts(i: number): number;
  publishedAtMs(i: number): number;
  reachedTs(i: number): number;
  /** A test of events by their places; `undefined` when none of them can pass. */
  matcher(search: Search<Event>): ((i: number) => boolean) | undefined;
  /** No more events will be added. */
  seal(): void;
}

/** Events as they are. */
export class ObjectBlock<Event extends Dated> implements LogBlock<Event> {
  readonly #events: Event[] = [];
  readonly #publishedAtMs: number[] = [];
  readonly #reachedTs: number[] = [];

  get length(): number {
    return this.#events.length;
  }

  push(event: Event, publishedAtMs: number, reachedTs: number): void {
    this.#events.push(event);
    this.#publishedAtMs.push(publishedAtMs);
    this.#reachedTs.push(reachedTs);
  }

  event(i: number): Event {
    return this.#events[i] as Event;
  }

  ts(i: number): number {
    return this.event(i).ts;
  }

  publishedAtMs(i: number): number {
    return this.#publishedAtMs[i] as number;
  }

  reachedTs(i: number): number {
    return this.#reachedTs[i] as number;
  }

  matcher({ atLeast, equals }: Search<Event>): (i: number) => boolean {
    return (i) => {
      const event = this.event(i);
      if (equals && event[equals.field] !== equals.value) return false;
      return !atLeast || (event[atLeast.field] as number) >= atLeast.value;
    };
  }

  seal(): void {}
}

/** Flat events as columns, for large logs. */
export class PackedBlock<Event extends Dated> implements LogBlock<Event> {
  readonly #numbers = new NumberTable();
  readonly #publishedAtMs = this.#numbers.add();
  /** How far an event was behind an earlier one: mostly zero, which takes no space. */
  readonly #lagMs = this.#numbers.add();
  readonly #events = new RecordColumns<Event>(this.#numbers);

  get length(): number {
    return this.#events.length;
  }

  push(event: Event, publishedAtMs: number, reachedTs: number): void {
    const place = this.length;
    this.#events.push(event);
    this.#numbers.put(this.#publishedAtMs, place, publishedAtMs);
    this.#numbers.put(this.#lagMs, place, reachedTs - event.ts);
  }

  pushPacked(event: PackedRow, ts: number, publishedAtMs: number, reachedTs: number): void {
    const place = this.length;
    this.#events.pushPacked(event);
    this.#numbers.put(this.#publishedAtMs, place, publishedAtMs);
    this.#numbers.put(this.#lagMs, place, reachedTs - ts);
  }

  event(i: number): Event {
    return this.#events.at(i);
  }

  ts(i: number): number {
    return this.#events.number('ts', i);
  }

  publishedAtMs(i: number): number {
    return this.#numbers.at(this.#publishedAtMs, i);
  }

  reachedTs(i: number): number {
    return this.ts(i) + this.#numbers.at(this.#lagMs, i);
  }

  matcher(search: Search<Event>): ((i: number) => boolean) | undefined {
    return this.#events.matcher(search);
  }

  seal(): void {
    this.#events.seal();
  }
}
