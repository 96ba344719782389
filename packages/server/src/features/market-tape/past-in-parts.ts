import type { Clock, MarketTrade } from '@crosstape/core';
import type { TradeGap } from '@crosstape/venues';
import type { PastTrades, UnreadPages } from '../../ingest/past-trades-client.ts';

/** Requests past trades; `rest`: continues where an earlier answer ended. Rejects if the venue does not answer. */
export type RequestPast = (gap: TradeGap, rest?: UnreadPages) => Promise<PastTrades>;

/** How long trades of a gap are requested: later ones would be too far away on the tape. */
export const REQUESTED_MS = 600_000;

/** Requests the history of gaps, as many pages as there is time for, and continues where a request failed. */
export class PastInParts {
  readonly #ask: RequestPast;
  readonly #clock: Clock;
  readonly #rests = new WeakMap<object, UnreadPages>();
  /** Deadline of each gap, by our own clock, whatever the venue's. */
  readonly #untilMs = new WeakMap<object, number>();

  constructor(ask: RequestPast, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** The next request continues where an earlier one ended. */
  hasRest(owner: object): boolean {
    return this.#rests.has(owner);
  }

  /**
   * Requests the trades of a gap, identified by `owner`; `take` gets those of each part, and returns whether to
   * continue. Returns whether none is missing; `undefined`: the venue did not answer.
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
