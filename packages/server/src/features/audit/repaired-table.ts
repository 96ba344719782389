import type { Side } from '@crosstape/core';
import type { Store, Table } from '../../store/store.ts';

/** Trades of a market's day that are read at most. */
const ROWS_MAX = 1_000_000;
const REMOVE_ROWS = 1_000;

/** A trade that the released tape lacks, in coins. */
export interface RepairedTrade {
  /** The venue's time. */
  readonly ts: number;
  readonly tid: number;
  readonly side: Side;
  readonly price: number;
  readonly size: number;
}

/** Trades that the audit found missing and the venue sent again. They become files of the lake, never a part of the tape. */
export class RepairedTable {
  readonly #store: Store;
  readonly #rows: Table<RepairedTrade>;

  constructor(store: Store) {
    this.#store = store;
    this.#rows = store.table<RepairedTrade>('repaired-trades', 'json');
  }

  async put(market: string, trades: readonly RepairedTrade[]): Promise<void> {
    const entries = trades.map((value) => ({ key: [market, value.ts, value.tid], value }));
    await this.#store.commit([this.#rows.puts(entries)]);
  }

  /** Those of a market with `from <= ts < to`, oldest first. */
  async read(market: string, from: number, to: number): Promise<readonly RepairedTrade[]> {
    const rows = await this.#rows.range({ from: [market, from], to: [market, to], limit: ROWS_MAX });
    return rows.map(({ value }) => value);
  }

  /** Removes those of a market from before a time. */
  async prune(market: string, beforeMs: number): Promise<void> {
    for (;;) {
      const old = await this.#rows.keys({ from: [market, 0], to: [market, beforeMs], limit: REMOVE_ROWS });
      if (old.length > 0) await this.#store.commit([this.#rows.removes(old)]);
      if (old.length < REMOVE_ROWS) return;
    }
  }
}
