import { HOUR_MS } from '@crosstape/core';
import { nextTurn } from '../../platform/next-turn.ts';
import type { Store, Table } from '../../store/store.ts';
import type { HourOfLiquidations } from './hour-sums.ts';

/** How long hourly sums are kept: longer than single liquidations. */
export const HOURS_KEEP_MS = 90 * 24 * HOUR_MS;
/** Rows read or removed at a time, so that a long scan leaves the event loop free in between. */
const PAGE_ROWS = 100;

export interface StoredHour {
  readonly ts: number;
  readonly hour: HourOfLiquidations;
}

/** Sums of liquidations by hour on disk: one row for each recorded hour, also for one without a liquidation. */
export class LiquidationHourTable {
  readonly #store: Store;
  readonly #rows: Table<HourOfLiquidations>;

  constructor(store: Store) {
    this.#store = store;
    this.#rows = store.table<HourOfLiquidations>('liquidationHours', 'json');
  }

  async put(hours: readonly StoredHour[]): Promise<void> {
    if (hours.length === 0) return;
    const entries = hours.map(({ ts, hour }) => ({ key: [ts], value: hour }));
    await this.#store.commit([this.#rows.puts(entries)]);
  }

  /** Hours with `fromMs <= ts < toMs`, oldest first, some at a time. */
  async *between(
    fromMs: number,
    toMs: number,
    caller?: string,
  ): AsyncGenerator<readonly StoredHour[], void, undefined> {
    for (let from = fromMs; ; ) {
      const rows = await this.#rows.range({ from: [from], to: [toMs], limit: PAGE_ROWS });
      yield rows.map(({ key, value }) => ({ ts: key[0] as number, hour: value }));
      const last = rows.at(-1);
      if (!last || rows.length < PAGE_ROWS) return;
      from = (last.key[0] as number) + HOUR_MS;
      await nextTurn(caller);
    }
  }

  /** Start of the first hour on record. */
  oldest(): Promise<number | undefined> {
    return this.#end(false);
  }

  newest(): Promise<number | undefined> {
    return this.#end(true);
  }

  async #end(reverse: boolean): Promise<number | undefined> {
    const [key] = await this.#rows.keys({ reverse, limit: 1 });
    return key?.[0] as number | undefined;
  }

  async prune(beforeMs: number): Promise<void> {
    for (;;) {
      const old = await this.#rows.keys({ to: [beforeMs], limit: PAGE_ROWS });
      if (old.length > 0) await this.#store.commit([this.#rows.removes(old)]);
      if (old.length < PAGE_ROWS) return;
    }
  }
}
