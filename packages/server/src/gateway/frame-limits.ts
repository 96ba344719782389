import type { Clock } from '@crosstape/core';
import { TokenBucket } from '../platform/token-bucket.ts';

/** Frames that a socket may send at once: twice the number of subscriptions it may have. */
const FRAMES_AT_ONCE = 2_048;
/** Frames per second after that. */
const FRAMES_PER_SECOND = 100;
/** Cost of a ping or pong, in frames. Clients send one every few seconds, also before they sign in. */
const CONTROL_FRAME_COST = 16;
/** Invalid frames (`bad_request`) that a socket may send at once, and per second after that. */
export const BAD_FRAMES_AT_ONCE = 32;
const BAD_FRAMES_PER_SECOND = 0.2;

/** Rate limits of one socket. Each method counts one frame and returns false when it is over the limit. */
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
