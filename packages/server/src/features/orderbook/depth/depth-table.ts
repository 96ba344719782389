import { intervalStart } from '@crosstape/core';
import type { Log } from '../../../platform/log.ts';
import { nextTurn } from '../../../platform/next-turn.ts';
import { readRow } from '../../../store/bad-row.ts';
import { removeOlder } from '../../../store/pages.ts';
import type { Entry, Key, Store, Table } from '../../../store/store.ts';
import { decodeDepth, encodeDepth } from './depth-row.ts';
import type { DepthSnapshot } from './recorded-depth.ts';

/** Snapshots read before yielding to the event loop: about a millisecond. */
const READ_PER_TURN = 20;
/** Damaged rows that are reported in the life of a process. */
const REPORTED_MAX = 100;

/** The snapshot of a market. */
export interface MarketDepth extends DepthSnapshot {
  /** Id of the market. */
  readonly market: string;
}

/** The newest `limit` intervals with `startMs <= ts < endMs`. */
export interface DepthRange {
  readonly startMs: number;
  readonly endMs: number;
  readonly intervalMs: number;
  readonly limit: number;
}

/** Recorded order books, one row for each market and minute. */
export class DepthTable {
  readonly #store: Store;
  readonly #log: Log;
  readonly #table: Table<Uint8Array>;
  readonly #reported = new Set<string>();

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
    this.#table = store.table('book-depth', 'binary');
  }

  /** Stores the snapshots of minutes that have none yet. */
  async append(snapshots: readonly MarketDepth[]): Promise<void> {
    const missing: Entry<Uint8Array>[] = [];
    for (const snapshot of snapshots) {
      const key: Key = [snapshot.market, snapshot.t];
      if ((await this.#table.get(key)) === undefined) missing.push({ key, value: encodeDepth(snapshot) });
    }
    if (missing.length > 0) await this.#store.commit([this.#table.puts(missing)]);
  }

  /** The time of the oldest snapshot of a market. */
  async sinceMs(market: string): Promise<number | undefined> {
    const range = { from: [market], to: [market, Number.MAX_SAFE_INTEGER], limit: 1 };
    const [first] = await this.#table.keys(range);
    return first?.[1] as number | undefined;
  }

  /** The first snapshot of each interval, oldest first. An interval without one is missing. */
  async read(market: string, { startMs, endMs, intervalMs, limit }: DepthRange): Promise<DepthSnapshot[]> {
    const found: DepthSnapshot[] = [];
    let beforeMs = endMs;
    for (let reads = 1; found.length < limit; reads += 1) {
      if (reads % READ_PER_TURN === 0) await nextTurn();
      const range = { from: [market, startMs], to: [market, beforeMs], reverse: true, limit: 1 };
      const [newest] = await this.#table.keys(range);
      if (!newest) break;
      const fromMs = Math.max(startMs, intervalStart(newest[1] as number, intervalMs));
      const [first] = await this.#table.range({ from: [market, fromMs], to: [market, beforeMs], limit: 1 });
      const snapshot = first && this.#decoded(first);
      if (snapshot) found.push(snapshot);
      beforeMs = fromMs;
    }
    return found.toReversed();
  }

  /** Removes snapshots older than `beforeMs`. */
  prune(beforeMs: number): Promise<void> {
    return removeOlder(this.#store, this.#table, beforeMs);
  }

  /** A damaged row is a missing minute. */
  #decoded({ key, value }: Entry<Uint8Array>): DepthSnapshot | undefined {
    try {
      return readRow(value, (bytes) => decodeDepth(key[1] as number, bytes));
    } catch (error) {
      const name = key.join(' ');
      if (!this.#reported.has(name) && this.#reported.size < REPORTED_MAX) {
        this.#reported.add(name);
        this.#log.error({ err: error }, 'a recorded order book cannot be read; its minute is missing');
      }
      return undefined;
    }
  }
}
