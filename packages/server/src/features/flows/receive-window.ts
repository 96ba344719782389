import type { Clock, SpotTrade } from '@crosstape/core';
import type { Bus, Topic, Unsubscribe } from '../../platform/bus.ts';
import { wasSetBack } from '../../platform/set-back.ts';
import { healthTopic } from '../../topics.ts';
import { healthOf } from '../../health/failing-source.ts';
import { gapName } from '../tape/gap-ledger.ts';
import { LAST_GOOD_MS, type TapeReading } from './flow-figures.ts';
import { TRADE_WINDOW_MS, TradeWindow } from './trade-window.ts';

interface MissedSpan {
  readonly from: number;
  readonly to: number;
  readonly state: 'refilled' | 'partial' | 'missing';
  readonly late?: boolean;
}

export interface ReceiveWindowOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  /** Where the trades of the coin are published. */
  readonly topic: Topic<SpotTrade>;
  /** The sources whose health shows whether they are connected. */
  readonly publisher: string;
  /** Where gaps of the coin are published: its source is healthy while a frame cannot be read. */
  readonly gaps?: Topic<MissedSpan>;
}

/** The trades of a coin on a venue within the window, and whether they are all. */
export class ReceiveWindow {
  readonly #options: ReceiveWindowOptions;
  readonly #window = new TradeWindow();
  readonly #leave: readonly Unsubscribe[];
  /** Since when nothing is missing. */
  #wholeSinceMs: number;
  /** Gaps that overlap the window, their ends by name: the newest report of each wins. */
  readonly #gaps = new Map<string, number>();
  /** A venue counts as connected even when it does not cover this coin. */
  #isPublished = false;

  constructor(options: ReceiveWindowOptions) {
    const { clock, bus, topic, gaps } = options;
    this.#options = options;
    this.#wholeSinceMs = clock.now();
    const leaveTrades = bus.subscribe(topic, (trade) => {
      this.#isPublished = true;
      if (trade.missedBefore !== undefined) this.#wholeSinceMs = clock.now();
      this.#window.add(trade, clock.now());
    });
    const leaveGaps =
      gaps &&
      bus.subscribe(gaps, ({ to, state, ...gap }) => {
        for (const [name, end] of this.#gaps)
          if (end <= clock.now() - TRADE_WINDOW_MS) this.#gaps.delete(name);
        if (state === 'refilled') this.#gaps.delete(gapName(gap));
        else this.#gaps.set(gapName(gap), to);
      });
    this.#leave = [leaveTrades, ...(leaveGaps ? [leaveGaps] : [])];
  }

  /** `undefined` when no trades have been received for long. */
  read(nowMs: number): TapeReading | undefined {
    const { bus, publisher } = this.#options;
    const health = healthOf(bus.latest(healthTopic(publisher))?.message, 'trades');
    if (!this.#isPublished || !health) return undefined;
    const isReceiving = health.status === 'ok';
    if (!isReceiving && nowMs - (health.lastGoodMs ?? 0) > LAST_GOOD_MS) return undefined;
    // Trades received before the clock was set back count as before the restart.
    const begins = [health.sinceMs, ...this.#gaps.values()].filter((ms) => !wasSetBack(ms, nowMs));
    const sinceMs = Math.max(this.#wholeSinceMs, ...begins);
    const isWhole = isReceiving && sinceMs <= nowMs - TRADE_WINDOW_MS;
    return {
      ...this.#window.sums(nowMs),
      isReceiving,
      isWhole,
      ...(isReceiving && !isWhole && { sinceMs }),
    };
  }

  /** Trades of before were not published, or the clock was set back: the window is whole again when it begins after now. */
  restart(): void {
    this.#wholeSinceMs = this.#options.clock.now();
  }

  stop(): void {
    for (const leave of this.#leave) leave();
  }
}
