import type { Change, Store, Table } from '../../store/store.ts';

/** How far back a venue's own history of something is stored. */
export interface BackfillState {
  /** Everything since then is requested. */
  readonly from: number;
  /** Requests in a row that returned nothing. */
  readonly empty: number;
}

/** How far each part of the back-fill has come, over restarts. */
export class BackfillTable {
  readonly #table: Table<BackfillState>;

  /** By market and interval, or series. */
  constructor(store: Store) {
    this.#table = store.table<BackfillState>('candle-backfill', 'json');
  }

  get(what: string, interval: string): Promise<BackfillState | undefined> {
    return this.#table.get([what, interval]);
  }

  putting(what: string, interval: string, state: BackfillState): Change {
    return this.#table.puts([{ key: [what, interval], value: state }]);
  }
}
