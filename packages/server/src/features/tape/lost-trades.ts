import type { Gap } from './gap-ledger.ts';

/** The time of a coin's dropped trades. */
type Loss = Readonly<Pick<Gap, 'from' | 'to'>>;

/** Trades that are dropped: how many, and one gap per coin until it is entered in the ledger. */
export class LostTrades {
  #trades = 0;
  readonly #losses = new Map<string, Loss>();

  /** How many since the start. */
  get trades(): number {
    return this.#trades;
  }

  /** Trades from a time up to and including another. */
  add(coin: string, firstTs: number, lastTs = firstTs, trades = 1): void {
    this.#trades += trades;
    this.widen(coin, firstTs, lastTs + 1);
  }

  /** A gap without a number of trades. */
  widen(coin: string, from: number, to: number): void {
    const loss = this.#losses.get(coin) ?? { from, to };
    this.#losses.set(coin, { from: Math.min(loss.from, from), to: Math.max(loss.to, to) });
  }

  /** Gaps of the trades dropped so far. */
  gaps(): readonly Gap[] {
    return [...this.#losses].map(([coin, { from, to }]) => ({
      coin,
      from,
      to,
      state: 'missing',
      reason: 'the trades could not be written',
    }));
  }

  /** The gaps are in the ledger. One that has grown since stays. */
  entered(gaps: readonly Gap[]): void {
    for (const { coin, from, to } of gaps) {
      const now = this.#losses.get(coin);
      if (now?.from === from && now.to === to) this.#losses.delete(coin);
    }
  }
}
