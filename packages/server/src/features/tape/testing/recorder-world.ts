import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeIds, decodeTicks, HOUR_MS, ManualClock, type Trade } from '@crosstape/core';
import { createTapeReader } from '../tape-reader.ts';
import { LocalBus } from '../../../platform/local-bus.ts';
import { gunzipChunk } from '../chunk-gzip.ts';
import { GapLedger } from '../gap-ledger.ts';
import { LmdbStore } from '../../../store/lmdb-store.ts';
import { tradesOf } from '../newest-trades.ts';
import type { Change, Store } from '../../../store/store.ts';
import { TickTable } from '../tick-table.ts';
import { TickRecorder, type TickRecorderOptions } from '../tick-recorder.ts';

export const START_MS = 1_790_000_000_000 - (1_790_000_000_000 % HOUR_MS);
const owner = { coin: 'BTC', venue: 'hyperliquid' };
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export function tradeOf(tid: number, ts: number, part: Partial<Trade> = {}): Trade {
  const price = 50_000 + (tid % 7) * 0.5;
  const size = (1 + (tid % 13)) / 1_000;
  return {
    ...owner,
    side: 'buy',
    price,
    size,
    notionalUsd: price * size,
    ts,
    tid,
    sameOrder: false,
    ...part,
  };
}

/** A store whose commits fail on demand, and that reports when one has succeeded. */
export interface FailingStore {
  readonly store: Store;
  setFailing(isFailing: boolean): void;
  onCommit(listener: () => void): void;
}

/** Recorders on a store in a folder of its own. */
export class RecorderWorld {
  readonly #folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  readonly store = new LmdbStore(this.#folder);
  readonly clock = new ManualClock(START_MS);

  async end(): Promise<void> {
    await this.store.close();
    rmSync(this.#folder, { recursive: true });
  }

  recorderOn(
    on: Store,
    part: Partial<TickRecorderOptions> = {},
  ): { recorder: TickRecorder; table: TickTable; ledger: GapLedger } {
    const table = new TickTable(on);
    const ledger = new GapLedger(on);
    const options = {
      venue: 'hyperliquid',
      clock: this.clock,
      table,
      ledger,
      log: silent,
      retentionDays: 7,
      keptFromMs: (keepMs: number) => this.clock.now() - keepMs,
      recordCoins: 'all',
    };
    return {
      table,
      ledger,
      recorder: new TickRecorder({ ...options, connectedSpan: () => undefined, ...part }),
    };
  }

  /** Everything in the table, sealed or not, without the log. */
  async recorded(table: TickTable): Promise<Trade[]> {
    const reader = createTapeReader({ table, bus: new LocalBus(this.clock) });
    const { chunks } = await reader.page({
      coin: 'BTC',
      fromTs: 0,
      toTs: START_MS * 2,
      chunksMax: 1_000,
      withIds: true,
    });
    return chunks.flatMap(({ data, ids }) =>
      tradesOf(owner, {
        columns: decodeTicks(gunzipChunk(data)),
        ids: decodeIds(gunzipChunk(ids as Uint8Array)),
      }),
    );
  }

  failingStore(): FailingStore {
    const { store } = this;
    let isFailing = true;
    let listen = (): void => {};
    const commit = async (changes: readonly Change[]): Promise<void> => {
      if (isFailing) throw new Error('no space left');
      await store.commit(changes);
      listen();
    };
    const wrapped = {
      table: store.table.bind(store),
      probe: () => commit([]),
      close: async () => {},
      commit,
    } as Store;
    return {
      store: wrapped,
      setFailing: (value) => (isFailing = value),
      onCommit: (listener) => (listen = listener),
    };
  }
}
