import type { FeedSink, ReceivedFrame, RefusedFrame, SocketChange } from './feed-sink.ts';

/** A few seconds of the busiest market; beyond it the oldest are dropped, and that is told. */
const FRAMES_MAX = 200_000;

type Held =
  | { readonly frame: ReceivedFrame }
  | { readonly refused: RefusedFrame }
  | { readonly change: SocketChange };

/** Keeps what feeds deliver until there is somebody to take it. */
export class HeldSink implements FeedSink {
  #to: FeedSink | undefined;
  #events: Held[] = [];
  #droppedUntilMs: number | undefined;

  frame(frame: ReceivedFrame): void {
    if (this.#to) return this.#to.frame(frame);
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

  /** Hands over what was kept, in order, and from then on everything at once. Gives the time up to which frames are lost. */
  open(to: FeedSink): { readonly droppedUntilMs?: number } {
    this.#to = to;
    for (const event of this.#events) {
      if ('frame' in event) to.frame(event.frame);
      else if ('refused' in event) to.refused(event.refused);
      else to.socket(event.change);
    }
    this.#events = [];
    return this.#droppedUntilMs === undefined ? {} : { droppedUntilMs: this.#droppedUntilMs };
  }

  #hold(event: Held): void {
    if (this.#events.length >= FRAMES_MAX) this.#dropHalf();
    this.#events.push(event);
  }

  #dropHalf(): void {
    let frames = 0;
    this.#events = this.#events.filter((event) => {
      if ('change' in event) return true;
      frames += 1;
      if (frames > FRAMES_MAX / 2) return true;
      this.#droppedUntilMs = 'frame' in event ? event.frame.receivedAtMs : event.refused.atMs;
      return false;
    });
  }
}
