import type { FeedSink, ReceivedFrame, RefusedFrame, SocketChange } from './feed-sink.ts';

/** A few seconds of the busiest market; beyond it the oldest are dropped, and that is told. */
const FRAMES_MAX = 200_000;

type Held =
  | { readonly frame: ReceivedFrame }
  | { readonly refused: RefusedFrame }
  | { readonly change: SocketChange };

export interface HeldSinkOptions {
  /** Of one that may wait for ever, because somebody else takes the same: how long it must reach back. */
  readonly keepMs?: number;
}

/** Keeps what feeds deliver until there is somebody to take it. */
export class HeldSink implements FeedSink {
  readonly #keepMs: number;
  #to: FeedSink | undefined;
  #events: Held[] = [];
  #droppedUntilMs: number | undefined;
  #trimmedMs: number | undefined;

  constructor({ keepMs = Number.POSITIVE_INFINITY }: HeldSinkOptions = {}) {
    this.#keepMs = keepMs;
  }

  frame(frame: ReceivedFrame): void {
    if (this.#to) return this.#to.frame(frame);
    this.#trim(frame.receivedAtMs);
    this.#hold({ frame });
  }

  refused(refused: RefusedFrame): void {
    if (this.#to) return this.#to.refused(refused);
    this.#hold({ refused });
  }

  socket(change: SocketChange): void {
    if (this.#to) return this.#to.socket(change);
    this.#events.push({ change });
  }

  /**
   * Hands over what was kept, in order, and from then on everything at once; of frames before a time it is known that
   * they are not needed. Gives the time up to which frames are lost.
   */
  open(to: FeedSink, sinceMs = Number.NEGATIVE_INFINITY): { readonly droppedUntilMs?: number } {
    this.#to = to;
    for (const event of this.#events) {
      if ('change' in event) to.socket(event.change);
      else if (timeOf(event) < sinceMs) continue;
      else if ('frame' in event) to.frame(event.frame);
      else to.refused(event.refused);
    }
    this.#events = [];
    return this.#droppedUntilMs === undefined ? {} : { droppedUntilMs: this.#droppedUntilMs };
  }

  #hold(event: Held): void {
    if (this.#events.length >= FRAMES_MAX) this.#dropHalf();
    this.#events.push(event);
  }

  #trim(nowMs: number): void {
    this.#trimmedMs ??= nowMs;
    if (nowMs - this.#trimmedMs < 2 * this.#keepMs) return;
    this.#trimmedMs = nowMs - this.#keepMs;
    this.#cut(this.#trimmedMs);
  }

  #dropHalf(): void {
    this.#droppedUntilMs = timeOf(this.#events[FRAMES_MAX / 2] as Held);
    this.#cut(this.#droppedUntilMs + 1);
  }

  /** Of what was before only this is left: which sockets were up, as if they had come up just then. */
  #cut(cutMs: number): void {
    const up = new Map<string, SocketChange>();
    const kept: Held[] = [];
    for (const event of this.#events) {
      if (timeOf(event) >= cutMs) kept.push(event);
      else if ('change' in event) {
        const { change } = event;
        const name = `${change.venue} ${change.feed} ${change.socket}`;
        if (change.kind === 'up') up.set(name, { ...change, atMs: cutMs });
        else up.delete(name);
      }
    }
    this.#events = [...[...up.values()].map((change) => ({ change })), ...kept];
  }
}

function timeOf(event: Held): number {
  if ('frame' in event) return event.frame.receivedAtMs;
  return 'refused' in event ? event.refused.atMs : event.change.atMs;
}
