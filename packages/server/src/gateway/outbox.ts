import type { Socket } from 'node:net';
import type { Format } from './wire-frame.ts';
import { type Task, type WriteScheduler, WRITE_COST_BYTES } from '../platform/write-scheduler.ts';

/** Unread bytes queued for a client; with more it is too slow. */
export const UNREAD_BYTES_MAX = 4 * 1_048_576;
/** With this much waiting, state is no longer queued but left out until the client has caught up. */
const STATE_BYTES_MAX = 65_536;
/** State queued within a turn for a client that reads; the rest follows when that is written. */
const AT_ONCE_BYTES_MAX = UNREAD_BYTES_MAX / 2;
/** Bytes written at once for a client that fell behind. */
const REFILL_BYTES_MAX = 262_144;
/** Matches the followers a topic serves per step. */
const WRITES_PER_STEP_MAX = 128;

/** A subscriber that skipped frames because the outbox was full. */
export interface SlowSubscriber {
  /** There is room again. */
  catchUp(): void;
}

/** Numbers over all outboxes. */
export interface SentTotals {
  frames: number;
  bytes: number;
  writes: number;
  skipped: number;
}

/** Writes what has gathered in outboxes during a turn of the event loop, once per socket. */
export class Writer implements Task {
  readonly totals: SentTotals = { frames: 0, bytes: 0, writes: 0, skipped: 0 };
  readonly #turns: WriteScheduler;
  #waiting: Outbox[] = [];
  #next = 0;

  constructor(turns: WriteScheduler) {
    this.#turns = turns;
  }

  add(outbox: Outbox): void {
    this.#waiting.push(outbox);
    this.#turns.add(this);
  }

  step(): number | undefined {
    let bytes = 0;
    const end = Math.min(this.#next + WRITES_PER_STEP_MAX, this.#waiting.length);
    const writes = end - this.#next;
    for (; this.#next < end; this.#next += 1) bytes += (this.#waiting[this.#next] as Outbox).flush();
    if (this.#next < this.#waiting.length) return writes * WRITE_COST_BYTES + bytes;
    this.#waiting = [];
    this.#next = 0;
    return undefined;
  }
}

export interface OutboxOptions {
  readonly socket: Socket;
  readonly writer: Writer;
  /** The client does not read, and too much waits for it. */
  readonly onOverflow: () => void;
  /** Whether a close frame is on its way. */
  readonly isCloseSent: () => boolean;
}

/**
 * What is on its way to one client. Everything sent within a turn of the event loop is one write; while the client does
 * not read, the bytes wait here, shared with all others that they are for.
 */
export class Outbox {
  /** The format the client reads, which may change. */
  format: Format = 'json';
  readonly #socket: Socket;
  readonly #writer: Writer;
  readonly #onOverflow: () => void;
  readonly #isCloseSent: () => boolean;
  /**
   * What waits, oldest first. That is one piece nearly always, and there are neither slow subscribers nor waiters: no list is
   * kept for what is not there, since looking at it for each of a thousand clients costs more than all else here.
   */
  #first: Buffer | undefined;
  #rest: Buffer[] | undefined;
  #queuedBytes = 0;
  #slowSubscribers: Set<SlowSubscriber> | undefined;
  #waiters: (() => void)[] | undefined;
  #isListed = false;
  /** The socket's buffer is full. */
  #isHeldUp = false;
  #isClosed = false;

  constructor({ socket, writer, onOverflow, isCloseSent }: OutboxOptions) {
    this.#socket = socket;
    this.#writer = writer;
    this.#onOverflow = onOverflow;
    this.#isCloseSent = isCloseSent;
    socket.on('drain', () => {
      this.#isHeldUp = false;
      this.#list();
    });
  }

  /** Whether state should rather be left out than queued. */
  get isFull(): boolean {
    return this.#queuedBytes > (this.#isHeldUp ? STATE_BYTES_MAX : AT_ONCE_BYTES_MAX);
  }

  /** Whether a whole state may be queued now; it can be large, and there can be many. */
  get hasRoom(): boolean {
    return this.#queuedBytes <= STATE_BYTES_MAX;
  }

  /** Bytes that wait here for the client to read. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(bytes: Buffer, frames = 1): void {
    if (this.#isClosed) return;
    if (this.#first === undefined) this.#first = bytes;
    else (this.#rest ??= []).push(bytes);
    this.#queuedBytes += bytes.length;
    this.#writer.totals.frames += frames;
    if (this.#queuedBytes > UNREAD_BYTES_MAX && this.#isHeldUp) this.#onOverflow();
    else this.#list();
  }

  /** Notes that frames, or all but a whole state, were not sent, and reports later that there is room again. */
  leaveOut(subscriber: SlowSubscriber, frames: number): void {
    this.#writer.totals.skipped += frames;
    (this.#slowSubscribers ??= new Set()).add(subscriber);
  }

  forget(subscriber: SlowSubscriber): void {
    this.#slowSubscribers?.delete(subscriber);
  }

  /** Resolves when everything so far has been handed to the system, or the outbox is closed. */
  async emptied(): Promise<void> {
    if (this.#isClosed || (this.#first === undefined && !this.#isHeldUp)) return;
    await new Promise<void>((resolve) => (this.#waiters ??= []).push(resolve));
  }

  /** Writes the queued bytes; returns how many. */
  flush(): number {
    this.#isListed = false;
    if (this.#isAfterClose) this.drop();
    if (this.#isClosed || this.#isHeldUp) return 0;
    const bytes = this.#take();
    if (bytes) {
      const { totals } = this.#writer;
      totals.bytes += bytes.length;
      totals.writes += 1;
      this.#isHeldUp = !this.#socket.write(bytes);
    }
    if (!this.#isHeldUp) this.#onRoom();
    return bytes?.length ?? 0;
  }

  /** Nothing more will be sent; what still waits goes first, unless the client is too slow for it. */
  close(isTooSlow: boolean): void {
    if (this.#isClosed) return;
    if (!isTooSlow && !this.#isAfterClose) for (const bytes of this.#queue()) this.#socket.write(bytes);
    this.drop();
  }

  /** The connection is gone. */
  drop(): void {
    this.#isClosed = true;
    this.#first = undefined;
    this.#rest = undefined;
    this.#queuedBytes = 0;
    this.#slowSubscribers = undefined;
    this.#wake();
  }

  /** A close frame was written, or waits in the socket: nothing may come after it. */
  get #isAfterClose(): boolean {
    return this.#socket.writableEnded || (this.#socket.writableLength > 0 && this.#isCloseSent());
  }

  #list(): void {
    if (this.#isListed || this.#isClosed) return;
    this.#isListed = true;
    this.#writer.add(this);
  }

  #queue(): readonly Buffer[] {
    return this.#first === undefined ? [] : [this.#first, ...(this.#rest ?? [])];
  }

  /** Everything queued, or the first part of a large queue. */
  #take(): Buffer | undefined {
    const first = this.#first;
    if (this.#rest === undefined) {
      this.#first = undefined;
      this.#queuedBytes = 0;
      return first;
    }
    const queue = this.#queue();
    let count = 0;
    let length = 0;
    while (count < queue.length && (count === 0 || length < REFILL_BYTES_MAX)) {
      length += (queue[count] as Buffer).length;
      count += 1;
    }
    this.#first = queue[count];
    this.#rest = count + 1 < queue.length ? queue.slice(count + 1) : undefined;
    this.#queuedBytes -= length;
    if (this.#first) this.#list();
    return Buffer.concat(queue.slice(0, count), length);
  }

  /** The client reads: producers that left something out can continue, as far as there is room. */
  #onRoom(): void {
    if (this.#waiters && this.#first === undefined) this.#wake();
    const slow = this.#slowSubscribers;
    if (!slow) return;
    // One after the other: what they send is written, or waits, before the next has its turn.
    for (const subscriber of slow) {
      if (!this.hasRoom) return;
      slow.delete(subscriber);
      subscriber.catchUp();
    }
    if (this.#slowSubscribers?.size === 0) this.#slowSubscribers = undefined;
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = undefined;
    for (const wake of waiters ?? []) wake();
  }
}
