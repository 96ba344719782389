import type { Clock, Timer } from '@crosstape/core';
import { ArrivalRate } from '../../ingest/arrival-rate.ts';

/** A silence of all coins of at least this length, and of this many mean gaps, makes every coin suspect. */
const FEED_SILENT_MIN_MS = 2_000;
const FEED_SILENT_GAPS = 15;
/** The limit for one coin while others trade. Trades of one coin come in bursts, so longer silences are usual. */
const COIN_SILENT_MIN_MS = 30_000;
const COIN_SILENT_GAPS = 60;
/** How often coins are checked. */
const CHECK_EVERY_MS = 5_000;
/** Coins that one check suspects: their subscriptions are sent again, and a venue limits messages. */
const DOUBTS_MAX = 20;

export interface TapeSilenceOptions {
  readonly clock: Clock;
  /** Each coin that is silent for too long while others trade, and when its last trade was received. */
  readonly onSilentCoins: (silent: ReadonlyMap<string, number>) => void;
}

/**
 * Notices silences of the tape that its arrival rate does not explain, over all sockets together: a socket that keeps
 * silent for less than a stall, or for one coin alone, loses trades without going down.
 */
export class TapeSilence {
  readonly #options: TapeSilenceOptions;
  readonly #feed = new ArrivalRate(0);
  readonly #coins = new Map<string, ArrivalRate>();
  readonly #checking: Timer;
  #isUp = false;

  constructor(options: TapeSilenceOptions) {
    this.#options = options;
    this.#checking = options.clock.every(CHECK_EVERY_MS, () => this.#check());
  }

  /** A socket is up again. The time without one is known to be missing and does not count towards the rate. */
  resume(nowMs: number): void {
    this.#isUp = true;
    for (const rate of [this.#feed, ...this.#coins.values()]) rate.restart(nowMs);
  }

  pause(): void {
    this.#isUp = false;
  }

  /**
   * Trades of a coin arrived. If the feed was silent for too long before, by their arrival or by `apartMs` of venue
   * time, returns when it last delivered; delayed trades keep arriving during a silence.
   */
  arrive(coin: string, isBackfill: boolean, nowMs: number, apartMs: number): number | undefined {
    const { lastMs } = this.#feed;
    const limitMs = Math.max(FEED_SILENT_MIN_MS, FEED_SILENT_GAPS * this.#feed.meanGapMs);
    const isSilent = this.#isUp && Math.max(nowMs - lastMs, apartMs) > limitMs;
    if (isSilent || nowMs < lastMs) this.resume(nowMs);
    let rate = this.#coins.get(coin);
    if (!rate) {
      rate = new ArrivalRate(nowMs);
      this.#coins.set(coin, rate);
    }
    this.#feed.arrive(nowMs);
    // A back-fill shows that the socket works, not that the coin trades now.
    if (isBackfill) rate.restart(nowMs);
    else rate.arrive(nowMs);
    return isSilent ? lastMs : undefined;
  }

  /** A silence of a coin was real: its back-fill has nothing new. */
  wasQuiet(coin: string, sinceMs: number): void {
    this.#coins.get(coin)?.addQuietTime(Math.max(0, this.#options.clock.now() - sinceMs));
  }

  stop(): void {
    this.#checking.cancel();
  }

  #check(): void {
    if (!this.#isUp) return;
    const nowMs = this.#options.clock.now();
    const silent = new Map<string, number>();
    for (const [coin, rate] of this.#coins) {
      const limitMs = Math.max(COIN_SILENT_MIN_MS, COIN_SILENT_GAPS * rate.meanGapMs);
      if (nowMs - rate.lastMs <= limitMs) continue;
      silent.set(coin, rate.lastMs);
      rate.restart(nowMs);
      if (silent.size === DOUBTS_MAX) break;
    }
    if (silent.size > 0) this.#options.onSilentCoins(silent);
  }
}
