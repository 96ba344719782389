import { pagesOf, removeOlder } from './pages.ts';
import type { Change, Key, Store, Table } from './store.ts';

/** Samples of one coin read at a time: a week of minutes is ten thousand, a year half a million. */
const PAGE_SAMPLES = 4_096;

/** A figure of a coin at a time. */
export interface Sample {
  readonly coin: string;
  readonly t: number;
}

/** Samples by coin and time. */
export class SampleTable<One extends Sample> {
  readonly #store: Store;
  readonly #table: Table<One>;

  constructor(store: Store, name: string) {
    this.#store = store;
    this.#table = store.table<One>(name, 'json');
  }

  /** The change that stores samples; one of the same coin and time is replaced. */
  appending(samples: readonly One[]): Change {
    return this.#table.puts(samples.map((sample) => ({ key: [sample.coin, sample.t], value: sample })));
  }

  async append(samples: readonly One[]): Promise<void> {
    await this.#store.commit([this.appending(samples)]);
  }

  /** Stores the samples whose coin and time have none yet. */
  async appendNew(samples: readonly One[]): Promise<void> {
    const missing: One[] = [];
    for (const sample of samples)
      if ((await this.#table.get([sample.coin, sample.t])) === undefined) missing.push(sample);
    if (missing.length > 0) await this.append(missing);
  }

  /** Samples of a coin with `t >= sinceMs`, oldest first, page by page. */
  async *pages(coin: string, sinceMs: number): AsyncGenerator<readonly One[]> {
    const to: Key = [coin, Number.MAX_SAFE_INTEGER];
    const range = { from: [coin, sinceMs], to, pageRows: PAGE_SAMPLES };
    for await (const rows of pagesOf(this.#table, range)) yield rows.map(({ value }) => value);
  }

  /** All samples of a coin with `t >= sinceMs`, oldest first. */
  async since(coin: string, sinceMs: number): Promise<readonly One[]> {
    const samples: One[] = [];
    for await (const page of this.pages(coin, sinceMs)) samples.push(...page);
    return samples;
  }

  /** Removes samples older than `beforeMs`. */
  prune(beforeMs: number): Promise<void> {
    return removeOlder(this.#store, this.#table, beforeMs);
  }
}

/** A table for a recorder that restarts: the first sample of a coin and time stays. */
export function firstOnly<One extends Sample>(
  table: SampleTable<One>,
): Pick<SampleTable<One>, 'append' | 'prune'> {
  return {
    append: (samples) => table.appendNew(samples),
    prune: (beforeMs) => table.prune(beforeMs),
  };
}
