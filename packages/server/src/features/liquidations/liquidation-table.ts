import type { ConnectedSpan, Liquidation } from '@crosstape/core';
import type { InferredLiquidation } from './inferred-liquidations.ts';
import { pagesOf, removeRange } from '../../store/pages.ts';
import type { Key, Store, Table } from '../../store/store.ts';

/** The window of `/perps/liquidations`. */
export const LIQUIDATION_WINDOW_MS = 24 * 3_600_000;
/** How long single liquidations and the connected spans of venues are kept. */
export const LIQUIDATIONS_KEEP_MS = 30 * 24 * 3_600_000;
/** This many are remembered for deduplication; beyond it the oldest are dropped. */
export const LIQUIDATIONS_MAX = 300_000;
/** Rows per commit: more would block a shared store for too long. */
const ROWS_PER_COMMIT = 1_000;
const SPANS_MAX = 50_000;

/** Liquidations, and when each venue was connected, on disk. */
export class LiquidationTable {
  readonly #store: Store;
  readonly #rows: Table<Liquidation>;
  readonly #spans: Table<ConnectedSpan>;

  constructor(store: Store) {
    this.#store = store;
    this.#rows = store.table<Liquidation>('liquidations', 'json');
    this.#spans = store.table<ConnectedSpan>('liquidationSpans', 'json');
  }

  /**
   * In batches, and no span before everything received in it. After a failure all may be stored again: existing rows
   * are unchanged, and a span that begins at the same time is replaced.
   */
  async append(rows: readonly Liquidation[], spans: readonly ConnectedSpan[]): Promise<void> {
    for (let at = 0; at < rows.length; at += ROWS_PER_COMMIT) {
      const some = rows.slice(at, at + ROWS_PER_COMMIT);
      await this.#store.commit([
        this.#rows.puts(some.map((row) => ({ key: liquidationKey(row), value: row }))),
      ]);
    }
    for (let at = 0; at < spans.length; at += ROWS_PER_COMMIT) {
      const some = spans.slice(at, at + ROWS_PER_COMMIT);
      await this.#store.commit([
        this.#spans.puts(some.map((span) => ({ key: [span.venue, span.from], value: span }))),
      ]);
    }
  }

  /** Liquidations with `ts >= sinceMs`, oldest first, a few at a time. */
  async *since(sinceMs: number): AsyncGenerator<readonly Liquidation[], void, undefined> {
    for await (const rows of pagesOf(this.#rows, { from: [sinceMs] })) yield rows.map(({ value }) => value);
  }

  /** Spans that reach beyond `sinceMs`, by venue, oldest first. */
  async spans(sinceMs: number): Promise<readonly ConnectedSpan[]> {
    const rows = await this.#spans.range({ limit: SPANS_MAX });
    return rows.map(({ value }) => value).filter(({ to }) => to > sinceMs);
  }

  /** Inferred liquidations with `fromMs <= ts < toMs`, by coin. */
  async inferred(fromMs: number, toMs: number): Promise<ReadonlyMap<string, readonly InferredLiquidation[]>> {
    const byCoin = new Map<string, InferredLiquidation[]>();
    for await (const rows of this.since(fromMs)) {
      for (const row of rows) {
        if (row.ts >= toMs) return byCoin;
        if (!isInferred(row)) continue;
        const known = byCoin.get(row.coin);
        if (known) known.push(row);
        else byCoin.set(row.coin, [row]);
      }
    }
    return byCoin;
  }

  /** Liquidations that a venue reported with `fromMs <= ts < toMs`, as `coin ts`. */
  async measured(venue: string, fromMs: number, toMs: number): Promise<ReadonlySet<string>> {
    const measured = new Set<string>();
    for await (const rows of this.since(fromMs)) {
      for (const row of rows) {
        if (row.ts >= toMs) return measured;
        if (row.venue === venue && !row.inferred) measured.add(`${row.coin} ${row.ts}`);
      }
    }
    return measured;
  }

  /** Forgets liquidations and spans that are older than this time. */
  async prune(beforeMs: number): Promise<void> {
    await removeRange(this.#store, this.#rows, { to: [beforeMs] });
    const spans = await this.#spans.range({ limit: SPANS_MAX });
    const gone = spans.filter(({ value }) => value.to < beforeMs).map(({ key }) => key);
    if (gone.length > 0) await this.#store.commit([this.#spans.removes(gone)]);
  }
}

function isInferred(row: Liquidation): row is InferredLiquidation {
  return row.inferred && 'tid' in row;
}

/** Most venues give liquidations no ids: two that agree in all of this are one, sent twice. */
export function liquidationKey(liquidation: Liquidation): Key {
  const { ts, coin, venue, side, price, size, symbol = '', id = '' } = liquidation;
  return [ts, coin, venue, side, price, size, symbol, id];
}
