import type { MarketTrade } from '@crosstape/core';
import type { TradeGap } from '@crosstape/venues';
import type { PastTrades, UnreadPages } from '../../ingest/past-trades-client.ts';

/** Requests trades of the past; `rest`: goes on where an earlier answer ended. Rejects when the venue does not answer. */
export type AskPast = (gap: TradeGap, rest?: UnreadPages) => Promise<PastTrades>;

/** Turns that the pages of one gap may take: millions of trades. */
const PARTS_MAX = 100;

/** Requests the past of gaps, however many pages it takes, and goes on where a request failed. */
export class PastInParts {
  readonly #ask: AskPast;
  readonly #rests = new WeakMap<object, UnreadPages>();

  constructor(ask: AskPast) {
    this.#ask = ask;
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
    for (let part = 0; part < PARTS_MAX; part += 1) {
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
