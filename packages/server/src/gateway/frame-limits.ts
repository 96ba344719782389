import type { Clock } from '@crosstape/core';
import { TokenBucket } from '../platform/token-bucket.ts';

/** Frames that a socket may send at once: twice as many as it may have subscriptions … */
const FRAMES_AT_ONCE = 2_048;
/** … and per second after that. */
const FRAMES_PER_SECOND = 100;
/** Of a ping or pong, in frames. Clients send one in several seconds, and may do so before they sign in. */
const CONTROL_FRAME_COST = 16;
/** Frames with the error `bad_request` that a socket may send at once, and per second after that. */
export const BAD_FRAMES_AT_ONCE = 32;
const BAD_FRAMES_PER_SECOND = 0.2;

/** What one socket may send. Each method counts one frame and returns false when it is one too many. */
export class FrameLimits {
  readonly #all: TokenBucket;
  readonly #bad: TokenBucket;

  constructor(clock: Clock) {
    this.#all = new TokenBucket({ clock, capacity: FRAMES_AT_ONCE, perSecond: FRAMES_PER_SECOND });
    this.#bad = new TokenBucket({ clock, capacity: BAD_FRAMES_AT_ONCE, perSecond: BAD_FRAMES_PER_SECOND });
  }

  takeMessage(): boolean {
    return this.#all.take();
  }

  takeControl(): boolean {
    return this.#all.take(CONTROL_FRAME_COST);
  }

  takeBad(): boolean {
    return this.#bad.take();
  }
}
