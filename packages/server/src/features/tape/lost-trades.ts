import type { Gap } from './gap-ledger.ts';

/** The time of a coin's dropped trades. */
type Loss = Readonly<Pick<Gap, 'from' | 'to'>>;

/** The gap of trades that are not on the tape. */
export function lossOf(coin: string, from: number, to: number): Gap {
  return { coin, from, to, state: 'missing', reason: 'the trades could not be written' };
}

/** Trades that are dropped: how many, and one gap per coin until it is entered in the ledger. */
export class LostTrades {
  #trades = 0;
  readonly #losses = new Map<string, Loss>();

  /** How many since the start. */
  get trades(): number {
    return this.#trades;
  }

  add(coin: string, ts: number): void {
    this.#trades += 1;
    this.widen(coin, ts, ts + 1);
  }

  /** Trades whose gap is entered elsewhere. */
  count(trades: number): void {
    this.#trades += trades;
  }

  /** A gap without a number of trades. */
  widen(coin: string, from: number, to: number): void {
    const loss = this.#losses.get(coin) ?? { from, to };
    this.#losses.set(coin, { from: Math.min(loss.from, from), to: Math.max(loss.to, to) });
  }

  /** Gaps of the trades dropped so far. */
  gaps(): readonly Gap[] {
    return [...this.#losses].map(([coin, { from, to }]) => lossOf(coin, from, to));
  }

  /** The gaps are in the ledger. One that has grown since stays. */
  entered(gaps: readonly Gap[]): void {
    for (const { coin, from, to } of gaps) {
      const now = this.#losses.get(coin);
      if (now?.from === from && now.to === to) this.#losses.delete(coin);
    }
  }
}
