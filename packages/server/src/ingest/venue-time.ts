import { type Clock, SteadyClock } from '@crosstape/core';
import type { Bus } from '../platform/bus.ts';
import type { Log } from '../platform/log.ts';
import { clockTopic } from '../topics.ts';
import type { DataFrame, FeedSink } from './feed-sink.ts';

/** A larger difference between our clock and the venues' means that our clock is wrong. */
const WRONG_MS = 60_000;
/** Older times of a venue do not count. */
const FRESH_MS = 60_000;
/** A venue's time counts after this many frames whose difference to our clock is the same … */
const FRAMES_MIN = 3;
/** … within this much. A single frame with a wrong time decides nothing. */
const SAME_MS = 5_000;
/** How often the clock is compared with the venues, and the result published. */
const COMPARE_EVERY_MS = 5_000;
/** Nothing is removed before our clock has agreed with the venues for this long. */
const AGREED_MS = 5 * 60_000;

/** A venue's time against our clock. */
interface Difference {
  /** Venue time less our time of arrival: negative by the time that a frame travels. */
  aheadMs: number;
  atMs: number;
  /** Frames in a row with about this difference. */
  frames: number;
}

export interface VenueTimeOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
}

/**
 * Compares our clock with the times in the venues' frames. One venue that agrees with our clock is enough: then the
 * others are wrong or late. If none does, the clock is wrong: that is logged and published, and nothing is removed
 * because of its age until it is right again.
 */
export class VenueTime {
  readonly #options: VenueTimeOptions;
  /** As many as there are venues with feeds. */
  readonly #differences = new Map<string, Difference>();
  readonly #comparing;
  #isWrong = false;
  /** Since when the clock has agreed with the venues. */
  #agreedSinceMs: number | undefined;

  constructor(options: VenueTimeOptions) {
    this.#options = options;
    this.#comparing = options.clock.every(COMPARE_EVERY_MS, () => this.#compare());
  }

  /** Reads the time in every frame of every venue. */
  readonly receive: FeedSink = (event) => {
    if (event.type !== 'frame') return;
    const newestMs = newestTimeOf(event.frame);
    if (newestMs === undefined) return;
    const aheadMs = newestMs - event.receivedAtMs;
    let difference = this.#differences.get(event.venue);
    if (!difference) this.#differences.set(event.venue, (difference = { aheadMs, atMs: 0, frames: 0 }));
    const isSame = Math.abs(difference.aheadMs - aheadMs) <= SAME_MS;
    difference.frames = isSame ? difference.frames + 1 : 1;
    difference.aheadMs = aheadMs;
    difference.atMs = event.receivedAtMs;
    if (difference.frames === FRAMES_MIN && Math.abs(aheadMs) > WRONG_MS) this.#compare();
  };

  /** How far the venues' time is ahead of our clock; `undefined` while unknown. */
  get aheadMs(): number | undefined {
    const nowMs = this.#options.clock.now();
    let least: number | undefined;
    for (const { aheadMs, atMs, frames } of this.#differences.values()) {
      if (frames < FRAMES_MIN || Math.abs(nowMs - atMs) > FRESH_MS) continue;
      if (least === undefined || Math.abs(aheadMs) < Math.abs(least)) least = aheadMs;
    }
    return least;
  }

  /** Our time, or the venues' where our clock is behind by more than is plausible. */
  nowMs(): number {
    const { aheadMs = 0 } = this;
    return this.#options.clock.now() + (aheadMs > WRONG_MS ? aheadMs : 0);
  }

  /**
   * Older data may be removed, by the venues' time. `undefined` while nothing may be removed, because the time is
   * uncertain.
   */
  keptFromMs(keepMs: number): number | undefined {
    const nowMs = this.#options.clock.now();
    const { aheadMs } = this;
    if (this.#isWrong || aheadMs === undefined || Math.abs(aheadMs) > WRONG_MS) return undefined;
    if (this.#agreedSinceMs === undefined || nowMs - this.#agreedSinceMs < AGREED_MS) return undefined;
    return nowMs + Math.min(0, aheadMs) - keepMs;
  }

  stop(): void {
    this.#comparing.cancel();
  }

  #compare(): void {
    const { clock, bus, log } = this.#options;
    const { aheadMs } = this;
    // Nothing to compare with: keep the earlier result.
    if (aheadMs === undefined) return;
    const steady = clock instanceof SteadyClock ? clock : undefined;
    const stepMs = steady?.stepMs ?? 0;
    if (stepMs !== 0 && Math.abs(stepMs - aheadMs) <= WRONG_MS) {
      log.warn({ stepMs }, 'the clock was set, and the venues agree with it');
      steady?.follow();
      this.#differences.clear();
      this.#agreedSinceMs = undefined;
      return;
    }
    steady?.hold();
    const skewMs = stepMs - aheadMs;
    const isWrong = Math.abs(skewMs) > WRONG_MS;
    if (isWrong) this.#agreedSinceMs = undefined;
    else this.#agreedSinceMs ??= clock.now();
    if (isWrong !== this.#isWrong) {
      this.#isWrong = isWrong;
      if (isWrong)
        log.error({ skewMs }, 'the clock of this machine is wrong by the venues’ times: nothing is removed');
      else log.info({ skewMs }, 'the clock of this machine agrees with the venues again');
    }
    bus.publish(clockTopic, { skewMs, stepMs, isWrong });
  }
}

/** The newest time in a live frame; a back-fill may be old. */
function newestTimeOf(frame: DataFrame): number | undefined {
  switch (frame.kind) {
    case 'trades':
    case 'marketTrades':
      return frame.isBackfill ? undefined : newestOf(frame.trades);
    case 'book':
      return frame.book.venueTs;
    default:
      return undefined;
  }
}

function newestOf(trades: readonly { readonly venueTs: number }[]): number | undefined {
  let newestMs: number | undefined;
  for (const { venueTs } of trades) if (newestMs === undefined || venueTs > newestMs) newestMs = venueTs;
  return newestMs;
}
