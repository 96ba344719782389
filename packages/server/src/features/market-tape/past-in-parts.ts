import type { Clock, MarketTrade } from '@crosstape/core';
import type { TradeGap } from '@crosstape/venues';
import type { PastTrades, UnreadPages } from '../../ingest/past-trades-client.ts';

/** Requests trades of the past; `rest`: goes on where an earlier answer ended. Rejects when the venue does not answer. */
export type AskPast = (gap: TradeGap, rest?: UnreadPages) => Promise<PastTrades>;

/** Trades of a gap are requested for this long: what comes later would stand too far away on the tape. */
export const REQUESTED_MS = 600_000;

/** Requests the past of gaps, as many pages as there is time for, and goes on where a request failed. */
export class PastInParts {
  readonly #ask: AskPast;
  readonly #clock: Clock;
  readonly #rests = new WeakMap<object, UnreadPages>();
  /** Until when each gap is requested: by our own clock, whatever that of the venue shows. */
  readonly #untilMs = new WeakMap<object, number>();

  constructor(ask: AskPast, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** The next request goes on where an earlier one ended. */
  hasRest(owner: object): boolean {
    return this.#rests.has(owner);
  }

  /**
   * Requests the trades of a gap, which `owner` stands for; `take` gets those of each part, and says whether to go on.
   * Returns whether none is missing; `undefined`: the venue did not answer.
   */
  async ask(
    owner: object,
    gap: TradeGap,
    take: (trades: readonly MarketTrade[]) => boolean,
  ): Promise<boolean | undefined> {
    const untilMs = this.#untilMs.get(owner) ?? this.#clock.now() + REQUESTED_MS;
    this.#untilMs.set(owner, untilMs);
    while (this.#clock.now() < untilMs) {
      const answer = await this.#ask(gap, this.#rests.get(owner)).catch(() => undefined);
      if (!answer) return undefined;
      const { trades, isWhole, rest } = answer;
      if (rest) this.#rests.set(owner, rest);
      else this.#rests.delete(owner);
      if (!take(trades) || !rest) return isWhole;
    }
    return false;
  }
}
