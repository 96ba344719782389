import type { VenueInterval } from '@crosstape/venues';
import type { Change, Store, Table } from '../../store/store.ts';

/** How far back the venue's candles of a market are stored. */
export interface BackfillState {
  /** Everything since then is requested. */
  readonly from: number;
  /** Requests in a row that returned nothing. */
  readonly empty: number;
}

/** How far the back-fill of each market and interval has come, over restarts. */
export class BackfillTable {
  readonly #table: Table<BackfillState>;

  constructor(store: Store) {
    this.#table = store.table<BackfillState>('candle-backfill', 'json');
  }

  get(market: string, interval: VenueInterval): Promise<BackfillState | undefined> {
    return this.#table.get([market, interval]);
  }

  putting(market: string, interval: VenueInterval, state: BackfillState): Change {
    return this.#table.puts([{ key: [market, interval], value: state }]);
  }
}
