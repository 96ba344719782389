import type { Change, Store, Table } from '../../store/store.ts';

/** How far back a venue's own history of something is stored. */
export interface BackfillState {
  /** Everything since then is requested. */
  readonly from: number;
  /** Consecutive requests without data. */
  readonly empty: number;
  /** Of a history that is continued: what is newer is still to be requested, as far as it was not there yet. */
  readonly to?: number;
  /** End of the newest hours of it that were requested. */
  readonly askedTo?: number;
}

/** Progress of each part of the back-fill, across restarts. */
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
