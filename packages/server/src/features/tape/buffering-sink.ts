import type { ReceivedFrame, RefusedFrame, SocketChange } from '../../ingest/feed-sink.ts';

/** A few seconds of the busiest market; beyond it the oldest are dropped, and `open` reports it. */
const FRAMES_MAX = 200_000;

/** What sockets deliver, without what is derived from it. */
export type SocketEvent = ReceivedFrame | RefusedFrame | SocketChange;

export interface BufferingSinkOptions {
  /** For a standby, which may buffer for ever: how far back the buffer must reach. */
  readonly keepMs?: number;
}

/** Buffers what sockets deliver until a receiver is ready. */
export class BufferingSink {
  readonly #keepMs: number;
  #to: ((event: SocketEvent) => void) | undefined;
  #events: SocketEvent[] = [];
  #droppedUntilMs: number | undefined;
  #trimmedMs: number | undefined;

  constructor({ keepMs = Number.POSITIVE_INFINITY }: BufferingSinkOptions = {}) {
    this.#keepMs = keepMs;
  }

  receive(event: SocketEvent): void {
    if (this.#to) return this.#to(event);
    if (event.type === 'frame') this.#trim(event.receivedAtMs);
    if (event.type !== 'socket' && this.#events.length >= FRAMES_MAX) this.#dropHalf();
    this.#events.push(event);
  }

  /**
   * Hands over what was buffered, in order, and from then on everything at once. Frames before `sinceMs` are already
   * recorded and are skipped. Returns the time up to which frames are lost.
   */
  open(
    to: (event: SocketEvent) => void,
    sinceMs = Number.NEGATIVE_INFINITY,
  ): { readonly droppedUntilMs?: number } {
    this.#to = to;
    for (const event of this.#events) if (event.type === 'socket' || timeOf(event) >= sinceMs) to(event);
    this.#events = [];
    return this.#droppedUntilMs === undefined ? {} : { droppedUntilMs: this.#droppedUntilMs };
  }

  #trim(nowMs: number): void {
    this.#trimmedMs ??= nowMs;
    if (nowMs - this.#trimmedMs < 2 * this.#keepMs) return;
    this.#trimmedMs = nowMs - this.#keepMs;
    this.#cut(this.#trimmedMs);
  }

  #dropHalf(): void {
    this.#droppedUntilMs = timeOf(this.#events[FRAMES_MAX / 2] as SocketEvent);
    this.#cut(this.#droppedUntilMs + 1);
  }

  /** Drops everything before a time, and dates the sockets that were up then as if they had come up at that time. */
  #cut(cutMs: number): void {
    const up = new Map<string, SocketChange>();
    const kept: SocketEvent[] = [];
    for (const event of this.#events) {
      if (timeOf(event) >= cutMs) kept.push(event);
      else if (event.type === 'socket') {
        const name = `${event.venue} ${event.feed} ${event.socket}`;
        if (event.kind === 'up') up.set(name, { ...event, atMs: cutMs });
        else up.delete(name);
      }
    }
    this.#events = [...up.values(), ...kept];
  }
}

function timeOf(event: SocketEvent): number {
  return event.type === 'frame' ? event.receivedAtMs : event.atMs;
}
