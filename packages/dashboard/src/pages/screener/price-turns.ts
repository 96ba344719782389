/** The newest trade of a coin. */
export interface LivePrice {
  readonly price: number;
  readonly ts: number;
}

/** In how many turns all coins are shown: few rows are drawn in one frame. */
export const TURNS = 10;

/** The newest price of every coin of a venue, shown in turns: those that wait longest first, and each coin once a round. */
export class PriceTurns {
  readonly #newest = new Map<string, LivePrice>();
  /** Coins whose newest price is not shown, in the order of their trades. */
  readonly #waiting = new Set<string>();
  #shown: ReadonlyMap<string, LivePrice> = new Map();

  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  take({ coin, price, ts }: LivePrice & { readonly coin: string }): void {
    if (ts < (this.#newest.get(coin)?.ts ?? 0)) return;
    this.#newest.set(coin, { price, ts });
    this.#waiting.add(coin);
  }

  /** All prices that are shown after the next turn. */
  next(): ReadonlyMap<string, LivePrice> {
    const coins = [...this.#waiting].slice(0, Math.ceil(this.#newest.size / TURNS));
    const shown = new Map(this.#shown);
    for (const coin of coins) {
      this.#waiting.delete(coin);
      const price = this.#newest.get(coin);
      if (price) shown.set(coin, price);
    }
    return (this.#shown = shown);
  }
}
