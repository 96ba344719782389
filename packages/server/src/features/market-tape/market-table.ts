import type { RecordedMarket } from '../../topics.ts';
import type { Store, Table } from '../../store/store.ts';

/** A market that is, or was, recorded. */
export interface StoredMarket extends RecordedMarket {
  /** When it was first followed. */
  readonly recordingSince: number;
}

/** Markets read at most: more than all venues list. */
const MARKETS_MAX = 20_000;

/** The recorded markets of secondary venues, stored with their units. */
export class MarketTable {
  readonly #store: Store;
  readonly #table: Table<StoredMarket>;

  constructor(store: Store) {
    this.#store = store;
    this.#table = store.table<StoredMarket>('markets', 'json');
  }

  /** The market with an id in any case. Callers mostly use it as it is listed; otherwise only the ids are searched. */
  async find(id: string): Promise<StoredMarket | undefined> {
    const exact = await this.#table.get([id]);
    if (exact) return exact;
    const keys = await this.#table.keys({ limit: MARKETS_MAX });
    const other = keys.find(([own]) => String(own).toLowerCase() === id.toLowerCase());
    return other && this.#table.get(other);
  }

  async all(): Promise<readonly StoredMarket[]> {
    return (await this.#table.range({ limit: MARKETS_MAX })).map(({ value }) => value);
  }

  /** Stores markets that are not stored yet. */
  async add(markets: readonly RecordedMarket[], nowMs: number): Promise<void> {
    const keys = await this.#table.keys({ limit: MARKETS_MAX });
    const known = new Set(keys.map(([id]) => id));
    await this.put(
      markets.filter(({ id }) => !known.has(id)),
      nowMs,
    );
  }

  /** Stores markets as they are recorded now; since when they are stays. */
  async put(markets: readonly RecordedMarket[], nowMs: number): Promise<void> {
    const entries = await Promise.all(
      markets.map(async (market) => {
        const before = await this.#table.get([market.id]);
        const value: StoredMarket = { ...market, recordingSince: before?.recordingSince ?? nowMs };
        return { key: [market.id], value };
      }),
    );
    await this.#store.commit([this.#table.puts(entries)]);
  }
}
