import type { FlowPoint } from '@crosstape/core';
import type { Change, Key, Store, Table } from '../../store/store.ts';

/** Points of one coin read at a time: a week of them is ten thousand, a year half a million. */
const PAGE_POINTS = 4_096;

/** The flows of each followed coin over the retention time, minute by minute. */
export class FlowTable {
  readonly #store: Store;
  readonly #table: Table<FlowPoint>;

  constructor(store: Store) {
    this.#store = store;
    this.#table = store.table<FlowPoint>('flows', 'json');
  }

  /** The change that stores points; one of the same coin and minute is replaced. */
  appending(points: readonly FlowPoint[]): Change {
    return this.#table.puts(points.map((point) => ({ key: [point.coin, point.t], value: point })));
  }

  async append(points: readonly FlowPoint[]): Promise<void> {
    await this.#store.commit([this.appending(points)]);
  }

  /** Points of a coin with `t >= sinceMs`, oldest first, page by page. */
  async *pages(coin: string, sinceMs: number): AsyncGenerator<readonly FlowPoint[]> {
    const to: Key = [coin, Number.MAX_SAFE_INTEGER];
    let from: Key = [coin, sinceMs];
    for (;;) {
      const rows = await this.#table.range({ from, to, limit: PAGE_POINTS });
      if (rows.length > 0) yield rows.map(({ value }) => value);
      const last = rows.at(-1);
      if (!last || rows.length < PAGE_POINTS) return;
      from = [coin, last.value.t + 1];
    }
  }

  /** Forgets points older than `beforeMs`, coin by coin. */
  async prune(beforeMs: number): Promise<void> {
    let from: Key = [''];
    for (;;) {
      const [first] = await this.#table.keys({ from, limit: 1 });
      const coin = first?.[0];
      if (coin === undefined) return;
      const old = await this.#table.keys({ from: [coin], to: [coin, beforeMs], limit: PAGE_POINTS });
      if (old.length > 0) await this.#store.commit([this.#table.removes(old)]);
      if (old.length < PAGE_POINTS) from = [coin, Number.MAX_SAFE_INTEGER];
    }
  }
}
