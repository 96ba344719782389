import { oldestKeysOf, removeOlder } from '../../store/pages.ts';
import type { Change, Key, Store, Table } from '../../store/store.ts';

/** Sample times are multiples of this. */
export const HISTORY_CADENCE_MS = 600_000;
/** Samples of one coin: a day more than the longest retention. */
const SAMPLES_MAX = 366 * 144;

/** The figures of a coin at one time. */
export interface HistorySample {
  readonly coin: string;
  readonly t: number;
  /** In the primary venue's contracts. */
  readonly openInterest?: number;
  /** By venue id: the rate as it is served, and the period that the venue itself counts in. */
  readonly funding: Readonly<Record<string, { readonly rate: number; readonly nativePeriodHours: number }>>;
}

/** Open interest and funding over the retention time, by coin. */
export class HistoryTable {
  readonly #store: Store;
  readonly #table: Table<HistorySample>;

  constructor(store: Store) {
    this.#store = store;
    this.#table = store.table<HistorySample>('history', 'json');
  }

  /** The change that stores samples; one of the same coin and time is replaced. */
  appending(samples: readonly HistorySample[]): Change {
    return this.#table.puts(samples.map((sample) => ({ key: [sample.coin, sample.t], value: sample })));
  }

  async append(samples: readonly HistorySample[]): Promise<void> {
    await this.#store.commit([this.appending(samples)]);
  }

  /** Samples of a coin with `t >= sinceMs`, oldest first. */
  async samples(coin: string, sinceMs: number): Promise<readonly HistorySample[]> {
    const to: Key = [coin, Number.MAX_SAFE_INTEGER];
    const rows = await this.#table.range({ from: [coin, sinceMs], to, limit: SAMPLES_MAX });
    return rows.map(({ value }) => value);
  }

  /** Samples of all coins with `fromMs <= t < toMs`, coin by coin. */
  async *all(fromMs: number, toMs: number): AsyncGenerator<readonly HistorySample[], void, undefined> {
    for await (const [coin] of oldestKeysOf(this.#table)) {
      const rows = await this.#table.range({ from: [coin, fromMs], to: [coin, toMs], limit: SAMPLES_MAX });
      yield rows.map(({ value }) => value);
    }
  }

  /** Forgets samples older than `beforeMs`. */
  prune(beforeMs: number): Promise<void> {
    return removeOlder(this.#store, this.#table, beforeMs);
  }
}
