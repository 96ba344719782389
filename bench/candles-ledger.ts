/**
 * What the candle ledger costs while trades are recorded: CPU of a trade at 5,000 a second on 280 markets, written as the
 * recorder writes them, and bytes of a row: encoded, and in the pages of the store that are in use.
 *
 *     npx tsx --conditions=crosstape-source bench/candles-ledger.ts
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TickColumns } from '@crosstape/core';
import { CandleTable, minuteLevel } from '../packages/server/src/features/candles/candle-table.ts';
import { CandleWriter } from '../packages/server/src/features/candles/candle-writer.ts';
import { SETTLED_AFTER_MS } from '../packages/server/src/features/candles/settle-candles.ts';
import { TickTable } from '../packages/server/src/features/tape/tick-table.ts';
import { openDataFolder } from '../packages/server/src/store/data-folder.ts';
import { LmdbStore, STORE_FILE } from '../packages/server/src/store/lmdb-store.ts';
import type { Change } from '../packages/server/src/store/store.ts';
import { simulatedTicks } from './bars-ticks.ts';
import { judge } from './part.ts';

const MARKETS = 280;
const PER_SECOND = 5_000;
/** As the recorder does. */
const WRITE_EVERY_MS = 400;
const BATCH = Math.round((PER_SECOND * WRITE_EVERY_MS) / 1_000 / MARKETS);
const MINUTES = 60;
const MINUTE_MS = 60_000;
const BYTES_MAX = 40;
/** Of a trade from socket to store; less than `bench:ingest` has ever measured. */
const INGEST_US = 20;
const SHARE_MAX = 2;
const DAYS = 60;

const silent = { debug() {}, info() {}, warn() {}, error() {} };
await benchWriting();
await benchBytes();

async function inStore<Result>(run: (store: LmdbStore, path: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'crosstape-bench-ledger-'));
  const path = await openDataFolder(folder, 'live');
  const store = new LmdbStore(path);
  try {
    return await run(store, path);
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function writerOf(store: LmdbStore): CandleWriter {
  const [table, ticks] = [new CandleTable(store), new TickTable(store)];
  return new CandleWriter({
    prefix: 'binance',
    table,
    ticks,
    log: silent,
    liquidations: { of: () => undefined },
  });
}

async function benchWriting(): Promise<void> {
  const batches: TickColumns[] = simulatedTicks(200 * BATCH).flatMap((columns) =>
    Array.from({ length: Math.floor(columns.length / BATCH) }, (_, i) => ({
      ...columns,
      length: BATCH,
      ts: columns.ts.slice(i * BATCH, (i + 1) * BATCH),
      price: columns.price.slice(i * BATCH, (i + 1) * BATCH),
      size: columns.size.slice(i * BATCH, (i + 1) * BATCH),
      isBuy: columns.isBuy.slice(i * BATCH, (i + 1) * BATCH),
      sameOrder: columns.sameOrder.slice(i * BATCH, (i + 1) * BATCH),
    })),
  );
  await inStore(async (store) => {
    const writer = writerOf(store);
    const symbols = Array.from({ length: MARKETS }, (_, i) => `M${i}`);
    let trades = 0;
    let before = process.cpuUsage();
    const startMs = Date.UTC(2026, 0, 5);
    for (let atMs = startMs; atMs < startMs + MINUTES * MINUTE_MS; atMs += WRITE_EVERY_MS) {
      // The first minutes are compiled.
      if (atMs === startMs + 5 * MINUTE_MS) [trades, before] = [0, process.cpuUsage()];
      const changes: Change[] = [];
      for (const [i, symbol] of symbols.entries()) {
        const batch = batches[(i + atMs / WRITE_EVERY_MS) % batches.length] as TickColumns;
        batch.ts.fill(atMs);
        changes.push(...writer.fold(symbol, batch, 0, BATCH));
        trades += BATCH;
      }
      if (changes.length > 0) await store.commit(changes);
    }
    const { user, system } = process.cpuUsage(before);
    const us = (user + system) / trades;
    console.log(
      `writing the ledger: ${us.toFixed(2)} µs of CPU a trade (${MARKETS} markets, ${PER_SECOND} trades a second, batches of ${BATCH})`,
    );
    judge(`the ledger, of ${INGEST_US} µs for a trade`, (100 * us) / INGEST_US, SHARE_MAX, '%');
  });
}

/** Minutes of BTC as the simulator trades it, in every figure. */
async function benchBytes(): Promise<void> {
  await inStore(async (store, path) => {
    const writer = writerOf(store);
    const table = new CandleTable(store);
    const fileBytes = async (): Promise<number> => (await stat(join(path, STORE_FILE))).size;
    const usedBytes = async (): Promise<number> => (await fileBytes()) - store.freePageBytes();
    const empty = await usedBytes();
    const chunks = simulatedTicks(1_000_000);
    const [first, last] = [chunks[0]?.ts[0] ?? 0, chunks.at(-1)];
    const spanMs = Math.ceil(((last?.ts[last.length - 1] ?? 0) - first + 1) / MINUTE_MS) * MINUTE_MS;
    const stored = new Map<string, number>();
    const rounds = Math.ceil((DAYS * 24 * 60 * MINUTE_MS) / spanMs);
    for (let round = 0; round < rounds; round += 1)
      for (const columns of chunks) {
        const ts = columns.ts.map((one) => one + round * spanMs);
        const changes = writer.fold('BTCUSDT', { ...columns, ts }, 0, columns.length);
        for (const { put = [] } of changes)
          for (const { key, value } of put) stored.set(String(key), (value as Uint8Array).length);
        if (changes.length > 0) await store.commit(changes);
        await table.join(minuteLevel, 'binance:BTCUSDT', (ts[0] ?? 0) - SETTLED_AFTER_MS);
      }
    const rows = (rounds * spanMs) / MINUTE_MS;
    const encoded = [...stored.values()].reduce((sum, one) => sum + one, 0) / rows;
    const file = (await fileBytes()) / rows;
    console.log(
      `${Math.round(rows)} rows of a busy market: ${encoded.toFixed(1)} bytes encoded; ${file.toFixed(1)} of the file, free pages included`,
    );
    judge('a row of the ledger, pages in use', ((await usedBytes()) - empty) / rows, BYTES_MAX, 'bytes');
  });
}
