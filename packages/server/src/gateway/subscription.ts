import type { FeedState } from '../health/feed-state.ts';
import type { SlowSubscriber, Outbox } from './outbox.ts';
import { paramsOf } from './gateway-channel.ts';
import type { Follower, Topic } from './topic.ts';
import { encodeMessage, type Format } from './wire-frame.ts';

type Status = Pick<FeedState, 'state' | 'partial'>;

/** One client on one topic. */
export class Subscription implements Follower, SlowSubscriber {
  readonly topic: Topic;
  readonly #outbox: Outbox;
  readonly #isState: boolean;
  /** Frames skipped since the client fell behind. */
  #skipped = 0;
  #isLive = false;
  /** The status last sent to the client, which assumes `live` until then. */
  #announced: Status = { state: 'live' };
  #isOver = false;

  constructor(topic: Topic, outbox: Outbox) {
    this.topic = topic;
    this.#outbox = outbox;
    this.#isState = topic.channel.isState;
  }

  get format(): Format {
    return this.#outbox.format;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Sends the state, if the topic has one, then updates; if there is no room for a state, it follows later. */
  join(): void {
    if (this.#isOver) return;
    if (this.#waitsForRoom()) return;
    this.topic.join(this);
    this.#isLive = true;
    this.announceStatus();
    this.#sendState();
  }

  /** Sends the topic's status if it differs from the one last sent. */
  announceStatus(): void {
    const state = this.topic.feedState;
    if (!state || isSameStatus(state, this.#announced)) return;
    this.deliverStatus(this.topic.statusFrame(state, this.format), state);
  }

  /** No effect before it has joined, or while frames are skipped: then the state follows later. */
  announceState(): void {
    if (!this.#isLive || this.#skipped > 0 || this.#waitsForRoom()) return;
    this.#announced = { state: 'live' };
    this.announceStatus();
    this.#sendState();
  }

  deliver(bytes: Buffer, frames: number): void {
    const outbox = this.#outbox;
    const isLeftOut = this.#isState && (this.#skipped > 0 || outbox.isFull);
    if (!isLeftOut) return outbox.send(bytes, frames);
    this.#skipped += frames;
    outbox.leaveOut(this, frames);
  }

  /** Never skipped: it is small and rare. */
  deliverStatus(bytes: Buffer, state: FeedState): void {
    this.#announced = state;
    this.#outbox.send(bytes);
  }

  catchUp(): void {
    if (!this.#isLive) return this.join();
    const outbox = this.#outbox;
    const { channel, request } = this.topic;
    // Updates still queued for other followers are skipped here: the state includes them.
    this.topic.flush();
    const skipped = this.#skipped;
    this.#skipped = 0;
    outbox.forget(this);
    if (skipped > 0) {
      const topic = { channel: channel.name, symbol: request.symbol, ...paramsOf(channel, request) };
      outbox.send(encodeMessage({ type: 'lagged', ...topic, skipped }, this.format));
    }
    this.#sendState();
  }

  end(): void {
    this.#isOver = true;
    this.topic.leave(this);
    this.#outbox.forget(this);
  }

  /** Whether a state has to wait for room. */
  #waitsForRoom(): boolean {
    if (!this.#isState || this.#outbox.hasRoom) return false;
    this.#outbox.leaveOut(this, 0);
    return true;
  }

  #sendState(): void {
    this.topic.flush();
    const bytes = this.topic.snapshot(this.format);
    if (bytes) this.#outbox.send(bytes);
  }
}

function isSameStatus(a: Status, b: Status): boolean {
  return a.state === b.state && a.partial === b.partial;
}
