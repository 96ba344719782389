import type { Socket } from 'node:net';
import type { Format } from './wire-frame.ts';
import { type Task, type WriteScheduler, WRITE_COST_BYTES } from '../platform/write-scheduler.ts';

/** Unread bytes queued for a client; beyond this it is too slow. */
export const UNREAD_BYTES_MAX = 4 * 1_048_576;
/** Beyond this many queued bytes, state updates are skipped until the client has caught up. */
const STATE_BYTES_MAX = 65_536;
/** State bytes queued in one turn for a client that reads; the rest follows once that is written. */
const AT_ONCE_BYTES_MAX = UNREAD_BYTES_MAX / 2;
/** Bytes written at once for a client that fell behind. */
const REFILL_BYTES_MAX = 262_144;
/** Matches the number of followers that a topic serves per step. */
const WRITES_PER_STEP_MAX = 128;

/** A subscriber that skipped frames because the outbox was full. */
export interface SlowSubscriber {
  /** There is room again. */
  catchUp(): void;
}

/** Totals over all outboxes. */
export interface SentTotals {
  frames: number;
  bytes: number;
  writes: number;
  skipped: number;
}

/** Writes what was added to outboxes during a turn of the event loop, once per socket. */
export class Writer implements Task {
  readonly totals: SentTotals = { frames: 0, bytes: 0, writes: 0, skipped: 0 };
  readonly #scheduler: WriteScheduler;
  #waiting: Outbox[] = [];
  #next = 0;

  constructor(scheduler: WriteScheduler) {
    this.#scheduler = scheduler;
  }

  add(outbox: Outbox): void {
    this.#waiting.push(outbox);
    this.#scheduler.add(this);
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
  /** The client reads too slowly and too much is queued. */
  readonly onOverflow: () => void;
  /** Whether a close frame was sent. */
  readonly isCloseSent: () => boolean;
}

/**
 * The send queue of one client. Everything sent within a turn of the event loop is one write. While the client does not
 * read, the bytes wait here and are shared with other clients.
 */
export class Outbox {
  /** The format the client reads, which may change. */
  format: Format = 'json';
  readonly #socket: Socket;
  readonly #writer: Writer;
  readonly #onOverflow: () => void;
  readonly #isCloseSent: () => boolean;
  /**
   * The queue, oldest first. It nearly always has one piece, and no slow subscribers or waiters. Lists are allocated
   * only when needed, because visiting empty ones for each of a thousand clients would cost more than everything else
   * here.
   */
  #first: Buffer | undefined;
  #rest: Buffer[] | undefined;
  #queuedBytes = 0;
  #slowSubscribers: Set<SlowSubscriber> | undefined;
  #waiters: (() => void)[] | undefined;
  #isListed = false;
  /** Whether the socket's buffer is full. */
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

  /** Whether state should be skipped rather than queued. */
  get isFull(): boolean {
    return this.#queuedBytes > (this.#isHeldUp ? STATE_BYTES_MAX : AT_ONCE_BYTES_MAX);
  }

  /** Whether a complete state may be queued now; it can be large, and there can be many. */
  get hasRoom(): boolean {
    return this.#queuedBytes <= STATE_BYTES_MAX;
  }

  /** Bytes queued here. */
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

  /** Records that frames, or a complete state, were skipped; the subscriber is called when there is room again. */
  leaveOut(subscriber: SlowSubscriber, frames: number): void {
    this.#writer.totals.skipped += frames;
    (this.#slowSubscribers ??= new Set()).add(subscriber);
  }

  forget(subscriber: SlowSubscriber): void {
    this.#slowSubscribers?.delete(subscriber);
  }

  /** Resolves when everything so far has been passed to the system, or the outbox is closed. */
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

  /** Ends the queue. Remaining bytes are sent first, unless the client is too slow. */
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

  /** Whether a close frame was written or waits in the socket: nothing may follow it. */
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

  /** The client reads again: subscribers that skipped frames continue as far as there is room. */
  #onRoom(): void {
    if (this.#waiters && this.#first === undefined) this.#wake();
    const slow = this.#slowSubscribers;
    if (!slow) return;
    // One after the other: each one's data are written or queued before the next continues.
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
