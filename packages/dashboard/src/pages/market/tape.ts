import type { Trade } from '@crosstape/client';

/** All fills of one taker order: same time, same side. */
export interface TapeRow {
  readonly name: string;
  readonly ts: number;
  readonly side: 'buy' | 'sell';
  /** Price of the last fill. */
  readonly price: number;
  readonly size: number;
  readonly notionalUsd: number;
  readonly fills: number;
}

/** Rows kept. */
const ROWS_MAX = 1_000;

/** Joins fills to orders, newest first. */
export class Tape {
  #rows: TapeRow[] = [];
  #made = 0;

  clear(): void {
    this.#rows = [];
  }

  add(trades: readonly Trade[]): void {
    for (const { ts, side, price, size } of trades) {
      const last = this.#rows.at(-1);
      const notionalUsd = price * size;
      if (last && last.ts === ts && last.side === side) {
        this.#rows[this.#rows.length - 1] = {
          ...last,
          price,
          size: last.size + size,
          notionalUsd: last.notionalUsd + notionalUsd,
          fills: last.fills + 1,
        };
      } else {
        this.#made += 1;
        this.#rows.push({ name: String(this.#made), ts, side, price, size, notionalUsd, fills: 1 });
      }
    }
    if (this.#rows.length > 2 * ROWS_MAX) this.#rows = this.#rows.slice(-ROWS_MAX);
  }

  /** Orders of at least this value, newest first. */
  rows(leastUsd: number): readonly TapeRow[] {
    const found: TapeRow[] = [];
    for (let i = this.#rows.length - 1; i >= 0 && found.length < ROWS_MAX; i -= 1) {
      const row = this.#rows[i] as TapeRow;
      if (row.notionalUsd >= leastUsd) found.push(row);
    }
    return found;
  }
}
