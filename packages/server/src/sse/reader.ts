import type { Clock, Timer } from '@crosstape/core';
import type { Selection } from './event-stream.ts';
import { type Follower, SLICE_CHARS_MAX, SLICE_EVENTS_MAX, type SseFeed } from './feed.ts';
import { sseFrame } from './frame.ts';
import type { SseSocket } from './socket.ts';
import type { Task, WriteScheduler } from '../platform/write-scheduler.ts';

export const HEARTBEAT_EVERY_MS = 15_000;

export type EndReason = 'max-duration' | 'shutdown';

export interface SseReaderOptions {
  readonly clock: Clock;
  readonly scheduler: WriteScheduler;
  readonly feed: SseFeed;
  readonly selection: Selection;
  readonly socket: SseSocket;
  /** Position of its first event; at most that of the feed. */
  readonly position: number;
  readonly maxDurationMs: number;
  /** Whether a `bye` is sent before the end. */
  readonly sendsBye: boolean;
  /** Fields of a heartbeat while the stream's sources fail. */
  readonly problem: () => object;
}

/**
 * One client. It catches up, reading the log at its own pace, until it has reached the feed's position; then it is
 * live, as a follower of the feed. Both read the same log, so nothing is lost or repeated in between.
 */
export class SseReader implements Task, Follower {
  readonly #options: SseReaderOptions;
  readonly #timers: readonly Timer[];
  #position: number;
  #isStarted = false;
  #isLive = false;
  #endReason: EndReason | undefined;

  constructor(options: SseReaderOptions) {
    const { clock, maxDurationMs, position } = options;
    this.#options = options;
    this.#position = position;
    this.#timers = [
      clock.every(HEARTBEAT_EVERY_MS, () => this.beat()),
      clock.after(maxDurationMs, () => this.leave('max-duration')),
    ];
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  start(): void {
    this.#isStarted = true;
    if (!this.#joinWhenLevel()) this.#options.scheduler.add(this);
  }

  /** Sends the last event after everything queued, and ends. */
  leave(reason: EndReason): void {
    this.#endReason ??= reason;
    // Recorded events are still being sent: any id of the log would be ahead of them.
    if (!this.#isStarted) return this.#options.socket.end('');
    if (this.#isLive) this.beat();
    else this.sendDue(this.#options.feed.log.idAt(this.#position));
  }

  /** Sends a heartbeat soon. Not needed while catching up, when its id would be ahead of what was sent. */
  beat(): void {
    if (this.#isLive) this.#options.feed.sendDueWhenIdle(this);
  }

  /** The connection is gone. */
  close(): void {
    const { feed, selection } = this.#options;
    for (const timer of this.#timers) timer.cancel();
    feed.leave(this, selection);
  }

  write(bytes: Uint8Array): void {
    this.#options.socket.write(bytes);
  }

  cut(): void {
    this.#options.socket.cut();
  }

  sendDue(id: number): void {
    const { clock, sendsBye, socket, problem } = this.#options;
    if (this.#endReason === undefined)
      socket.write(sseFrame('heartbeat', id, { ts: id, now: clock.now(), ...problem() }));
    else
      socket.end(sendsBye ? sseFrame('bye', id, { reason: this.#endReason, ts: id, now: clock.now() }) : '');
  }

  /** Catches up by one slice. */
  step(): number | undefined {
    const { feed, socket, scheduler } = this.#options;
    if (!socket.isOpen) return undefined;
    if (this.#position < feed.log.start) {
      socket.cut();
      return undefined;
    }
    const text = this.#readSlice();
    if (text !== '') socket.write(text);
    if (this.#joinWhenLevel()) return undefined;
    if (socket.isFull) {
      socket.onceDrained(() => scheduler.add(this));
      return undefined;
    }
    return text.length;
  }

  #readSlice(): string {
    const { feed, selection } = this.#options;
    const count = Math.min(feed.position - this.#position, SLICE_EVENTS_MAX);
    let text = '';
    for (const event of feed.log.read(this.#position, count)) {
      if (selection.accepts(event)) text += feed.frame(this.#position, event);
      this.#position += 1;
      if (text.length >= SLICE_CHARS_MAX) break;
    }
    return text;
  }

  #joinWhenLevel(): boolean {
    const { feed, selection, socket } = this.#options;
    if (this.#position < feed.position || !socket.isOpen) return false;
    this.#isLive = true;
    feed.join(this, selection);
    return true;
  }
}
