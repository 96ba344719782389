import type { Liquidation } from '@crosstape/core';
import { PAGE_ROWS, pagesOf } from '../../store/pages.ts';
import type { Store, Table } from '../../store/store.ts';

/** Rows looked at for one answer; the next one continues where it stops. */
const SCANNED_MAX = 100_000;

export interface EventQuery {
  /** `fromMs <= ts < toMs`. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly coin?: string;
  readonly venue?: string;
  readonly limit: number;
  /** The caller that the work is scheduled for. */
  readonly caller?: string;
}

export interface EventPage {
  /** Newest first. */
  readonly events: readonly Liquidation[];
  /** End of the next page; absent if the range has nothing older. */
  readonly nextEndMs?: number;
}

/** Reads single liquidations, which `LiquidationTable` stores by time. */
export class LiquidationEvents {
  readonly #rows: Table<Liquidation>;

  constructor(store: Pick<Store, 'table'>) {
    this.#rows = store.table<Liquidation>('liquidations', 'json');
  }

  /** The newest of a range. A page ends between two milliseconds. */
  async newest({ fromMs, toMs, coin, venue, limit, caller }: EventQuery): Promise<EventPage> {
    const events: Liquidation[] = [];
    let lastTs = toMs;
    let scanned = 0;
    for await (const rows of pagesOf(this.#rows, { from: [fromMs], to: [toMs], reverse: true, caller })) {
      for (const { value } of rows) {
        const isFull = events.length >= limit || scanned >= SCANNED_MAX;
        if (isFull && value.ts < lastTs) return { events, nextEndMs: lastTs };
        lastTs = value.ts;
        const isWanted =
          (coin === undefined || value.coin === coin) && (venue === undefined || value.venue === venue);
        if (isWanted) events.push(value);
      }
      scanned += PAGE_ROWS;
    }
    return { events };
  }
}
