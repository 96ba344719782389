import type { Side } from '@crosstape/core';
import { keyPagesOf, removeRange } from '../../store/pages.ts';
import type { Store, Table } from '../../store/store.ts';

/** Trades of a market that are read at most. */
const ROWS_MAX = 1_000_000;

/** A trade that the released tape lacks, in coins. */
export interface RepairedTrade {
  /** The venue's time. */
  readonly ts: number;
  readonly tid: number;
  readonly side: Side;
  readonly price: number;
  readonly size: number;
}

/** Which trade of its market it is. */
export function identityOf({ ts, tid }: Pick<RepairedTrade, 'ts' | 'tid'>): string {
  return `${ts} ${tid}`;
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

  /** Trades of a market with `from <= ts < to`, oldest first. */
  async read(market: string, from: number, to: number): Promise<readonly RepairedTrade[]> {
    const rows = await this.#rows.range({ from: [market, from], to: [market, to], limit: ROWS_MAX });
    return rows.map(({ value }) => value);
  }

  /** The time of the first with `from <= ts < to`. */
  async firstTs(market: string, from: number, to: number): Promise<number | undefined> {
    const [first] = await this.#rows.keys({ from: [market, from], to: [market, to], limit: 1 });
    return first?.[1] as number | undefined;
  }

  /** Identities of trades with `from <= ts < to`, oldest first. */
  async *identities(market: string, from: number, to: number): AsyncGenerator<readonly string[]> {
    const range = { from: [market, from], to: [market, to] };
    for await (const keys of keyPagesOf(this.#rows, range))
      yield keys.map((key) => identityOf({ ts: key[1] as number, tid: key[2] as number }));
  }

  /** Removes those of a market from before a time. */
  prune(market: string, beforeMs: number): Promise<void> {
    return removeRange(this.#store, this.#rows, { from: [market], to: [market, beforeMs] });
  }
}
