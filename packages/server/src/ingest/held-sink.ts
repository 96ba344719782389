import type { FeedSink, ReceivedFrame, SocketChange } from './feed-sink.ts';

/** A few seconds of the busiest market; beyond it the oldest frames are dropped, and that is told. */
const FRAMES_MAX = 200_000;

/** Keeps what feeds deliver until there is somebody to take it. */
export class HeldSink implements FeedSink {
  #to: FeedSink | undefined;
  #events: ({ readonly frame: ReceivedFrame } | { readonly change: SocketChange })[] = [];
  #droppedUntilMs: number | undefined;

  frame(frame: ReceivedFrame): void {
    if (this.#to) return this.#to.frame(frame);
    if (this.#events.length >= FRAMES_MAX) this.#dropHalf();
    this.#events.push({ frame });
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
      else to.socket(event.change);
    }
    this.#events = [];
    return this.#droppedUntilMs === undefined ? {} : { droppedUntilMs: this.#droppedUntilMs };
  }

  #dropHalf(): void {
    let frames = 0;
    this.#events = this.#events.filter((event) => {
      if ('change' in event) return true;
      frames += 1;
      if (frames > FRAMES_MAX / 2) return true;
      this.#droppedUntilMs = event.frame.receivedAtMs;
      return false;
    });
  }
}
