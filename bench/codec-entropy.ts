import type { TickColumns } from '@crosstape/core';

/** Counts how often each number occurs in a column of one coin, to say how many bits a plain code of it needs. */
class Histogram {
  readonly #counts = new Map<number, number>();
  #total = 0;

  add(value: number): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    this.#total += 1;
  }

  /** Order-0 entropy of all that was added. */
  bytes(): number {
    let bits = 0;
    for (const count of this.#counts.values()) bits -= count * Math.log2(count / this.#total);
    return bits / 8;
  }
}

const COLUMNS = ['ts', 'price', 'size', 'side', 'sameOrder'] as const;
export type ColumnName = (typeof COLUMNS)[number];

/** Order-0 entropy by column: times and prices as differences, each coin on its own. */
export class ColumnEntropy {
  readonly #done: Record<ColumnName, number> = { ts: 0, price: 0, size: 0, side: 0, sameOrder: 0 };
  #open = histograms();
  #coin = '';

  add(coin: string, { length, ts, price, size, isBuy, sameOrder }: TickColumns): void {
    if (coin !== this.#coin) this.close();
    this.#coin = coin;
    for (let i = 0; i < length; i += 1) {
      this.#open.ts.add(i === 0 ? 0 : (ts[i] ?? 0) - (ts[i - 1] ?? 0));
      this.#open.price.add(i === 0 ? 0 : (price[i] ?? 0) - (price[i - 1] ?? 0));
      this.#open.size.add(size[i] ?? 0);
      this.#open.side.add(isBuy[i] ?? 0);
      this.#open.sameOrder.add(sameOrder[i] ?? 0);
    }
  }

  close(): Readonly<Record<ColumnName, number>> {
    for (const column of COLUMNS) this.#done[column] += this.#open[column].bytes();
    this.#open = histograms();
    return this.#done;
  }
}

function histograms(): Record<ColumnName, Histogram> {
  return {
    ts: new Histogram(),
    price: new Histogram(),
    size: new Histogram(),
    side: new Histogram(),
    sameOrder: new Histogram(),
  };
}
