import { HOUR_MS } from '@crosstape/core';
import { pagesOf, removeRange } from '../../store/pages.ts';
import type { Store, Table } from '../../store/store.ts';
import type { HourOfLiquidations } from './hour-sums.ts';

/** How long hourly sums are kept: longer than single liquidations. */
export const HOURS_KEEP_MS = 90 * 24 * HOUR_MS;
/** Hours read at a time: each has many coins. */
const PAGE_HOURS = 100;

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
    const range = { from: [fromMs], to: [toMs], pageRows: PAGE_HOURS, caller };
    for await (const rows of pagesOf(this.#rows, range))
      yield rows.map(({ key, value }) => ({ ts: key[0] as number, hour: value }));
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

  prune(beforeMs: number): Promise<void> {
    return removeRange(this.#store, this.#rows, { to: [beforeMs] });
  }
}
