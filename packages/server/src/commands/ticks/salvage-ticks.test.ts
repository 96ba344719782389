import {
  closeSync,
  cpSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { decodeTicks, seededRandom } from '@crosstape/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gunzipChunk } from '../../features/tape/chunk-gzip.ts';
import { openDataFolder } from '../../store/data-folder.ts';
import { lockFolder } from '../../store/folder-lock.ts';
import { type Gap, GapLedger } from '../../features/tape/gap-ledger.ts';
import { isRecordedBy } from '../../features/tape/is-recorded-by.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { openLmdb } from '../../store/open-lmdb.ts';
import { TickBuffer } from '../../features/tape/tick-buffer.ts';
import { TickTable } from '../../features/tape/tick-table.ts';
import { TestFolder } from './test-folder.fixture.ts';

const START_MS = 1_760_000_000_000;
const CHUNK_MS = 60_000;
const CHUNKS = 150;
const TRADES = 40;
const coins = ['ADA', 'BTC', 'ETH', 'SOL'];
const RUNS = process.env.LONG === '1' ? 300 : 3;
const END_MS = START_MS + (CHUNKS + 1) * CHUNK_MS;

const folder = new TestFolder();
let sound: string;

/** Trades of one minute, determined by the time. */
function minute(coin: string, i: number): TickBuffer {
  const buffer = new TickBuffer();
  for (let n = 0; n < TRADES; n += 1) {
    const ts = START_MS + i * CHUNK_MS + n * 1_000;
    buffer.add({
      coin,
      venue: 'hyperliquid',
      side: n % 2 === 0 ? 'buy' : 'sell',
      price: 100 + ((i * 31 + n * 17) % 97),
      size: 1 + ((n * 7) % 13),
      notionalUsd: 0,
      ts,
      tid: i * 1_000 + n,
      sameOrder: false,
    });
  }
  return buffer;
}

beforeAll(async () => {
  sound = folder.name();
  const store = new LmdbStore(await openDataFolder(sound, 'live'));
  const ticks = new TickTable(store);
  const ledger = new GapLedger(store);
  const history = store.table<number>('history', 'json');
  for (let i = 0; i < CHUNKS; i += 1) {
    // As the recorder does: first in tail pieces, then sealed.
    await store.commit(coins.flatMap((coin) => ticks.appending(coin, minute(coin, i), 0, TRADES, i + 1)));
    const sealed = i === CHUNKS - 1 ? [] : coins;
    await store.commit([
      ...sealed.flatMap((coin) => ticks.sealing(coin, minute(coin, i), TRADES, [i + 1])),
      ledger.extending({ from: START_MS, to: START_MS + (i + 1) * CHUNK_MS, recordCoins: 'all' }),
      history.puts([{ key: ['BTC', i], value: i }]),
    ]);
  }
  const gap = { coin: 'ETH', from: START_MS + 55_000, to: START_MS + 59_000 } as const;
  await store.commit([...ledger.entering([{ ...gap, state: 'partial', reason: 'a stall' }])]);
  await store.close();
});

afterAll(() => folder.remove());

interface Recorded {
  readonly times: ReadonlyMap<string, ReadonlySet<number>>;
  readonly gaps: ReadonlyMap<string, readonly Gap[]>;
  /** Whether a time of a coin counts as recorded. */
  covers(coin: string, ts: number): boolean;
  readonly history: number;
}

async function read(data: string): Promise<Recorded> {
  const store = await openLmdb(join(data, 'live'));
  try {
    const ticks = new TickTable(store);
    const ledger = new GapLedger(store);
    const spans = await ledger.spans(0, END_MS);
    const times = new Map<string, Set<number>>();
    const gaps = new Map<string, readonly Gap[]>();
    for (const coin of coins) {
      const own = new Set<number>();
      for (const { data: bytes } of await ticks.chunks(coin, 0, END_MS, 10_000)) {
        const { ts, length } = decodeTicks(gunzipChunk(bytes));
        for (const at of ts.subarray(0, length)) own.add(at);
      }
      for (const { columns } of await ticks.tail(coin))
        for (const at of columns.ts.subarray(0, columns.length)) own.add(at);
      times.set(coin, own);
      gaps.set(coin, await ledger.gaps(coin, 0, END_MS));
    }
    return {
      times,
      gaps,
      covers: (coin, ts) =>
        spans.some(
          (span) => span.from <= ts && ts < span.to && isRecordedBy(span.recordCoins ?? 'all')(coin),
        ),
      history: (await store.table('history', 'json').keys({ limit: 10_000 })).length,
    };
  } finally {
    await store.close();
  }
}

/** Recorded trades that are neither present, nor in a gap, nor outside what counts as recorded. */
function unreported({ times, gaps, covers }: Recorded): readonly string[] {
  return coins.flatMap((coin) =>
    Array.from({ length: CHUNKS }, (_, i) => i).flatMap((i) => {
      const { columns } = minute(coin, i);
      return [...columns.ts.subarray(0, columns.length)]
        .filter((ts) => {
          const isInGap = gaps
            .get(coin)
            ?.some(({ from, to, state }) => state !== 'refilled' && from <= ts && ts < to);
          return !times.get(coin)?.has(ts) && !isInGap && covers(coin, ts);
        })
        .map((ts) => `${coin} ${ts}`);
    }),
  );
}

/** Trades that were never recorded. */
function invented({ times }: Recorded): readonly string[] {
  return coins.flatMap((coin) => {
    const real = new Set(
      Array.from({ length: CHUNKS }, (_, i) => minute(coin, i).columns).flatMap(({ ts, length }) => [
        ...ts.subarray(0, length),
      ]),
    );
    return [...(times.get(coin) ?? [])].filter((ts) => !real.has(ts)).map((ts) => `${coin} ${ts}`);
  });
}

async function salvageAfter(damage: (file: string) => void): Promise<Recorded | string> {
  const data = folder.name();
  const to = folder.name();
  cpSync(sound, data, { recursive: true, filter: (path) => !path.endsWith('lock.mdb') });
  damage(join(data, 'live', 'data.mdb'));
  try {
    await folder.run('salvage', '--data', data, '--to', to);
    return await read(to);
  } catch (error) {
    return (error as Error).message;
  } finally {
    for (const path of [data, to]) rmSync(path, { recursive: true, force: true });
  }
}

const overwrite = (file: string, at: number, bytes: Uint8Array): void => {
  const handle = openSync(file, 'r+');
  writeSync(handle, bytes, 0, bytes.length, at);
  closeSync(handle);
};

it('copies a sound store as it is', async () => {
  const copied = (await salvageAfter(() => undefined)) as Recorded;
  const original = await read(sound);
  expect(copied.times).toEqual(original.times);
  expect(copied.gaps).toEqual(original.gaps);
  expect(copied.history).toBe(CHUNKS);
});

it('finds most of the trades of a store whose first pages are lost', async () => {
  const found = (await salvageAfter((file) => overwrite(file, 0, new Uint8Array(8_192)))) as Recorded;
  expect(unreported(found)).toEqual([]);
  expect(invented(found)).toEqual([]);
  for (const coin of coins) expect(found.times.get(coin)?.size).toBeGreaterThan(CHUNKS * TRADES * 0.9);
});

it('finds the first half of a store that was cut in half', async () => {
  const found = (await salvageAfter((file) => truncateSync(file, statSync(file).size / 2))) as Recorded;
  expect(unreported(found)).toEqual([]);
  expect(invented(found)).toEqual([]);
  const trades = coins.reduce((sum, coin) => sum + (found.times.get(coin)?.size ?? 0), 0);
  expect(trades).toBeGreaterThan(CHUNKS * TRADES * coins.length * 0.25);
});

it('reports every trade that it cannot copy, whatever the damage', async () => {
  const random = seededRandom(5);
  const size = statSync(join(sound, 'live', 'data.mdb')).size;
  let salvaged = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const at = Math.floor(random() * size);
    const length = Math.floor(random() * 100_000) + 1;
    const bytes = Uint8Array.from({ length: Math.min(length, size - at) }, () =>
      run % 2 === 0 ? 0 : Math.floor(random() * 256),
    );
    const result = await salvageAfter((file) =>
      run % 3 === 0 ? truncateSync(file, at) : overwrite(file, at, bytes),
    );
    const label = `run ${run}: ${run % 3 === 0 ? 'cut at' : `${bytes.length} bytes overwritten at`} ${at}`;
    if (typeof result === 'string') {
      expect(result, label).toMatch(/no page of it can be read/);
      continue;
    }
    salvaged += 1;
    expect(unreported(result), label).toEqual([]);
    expect(invented(result), label).toEqual([]);
  }
  expect(salvaged).toBeGreaterThan(RUNS * 0.9);
});

it('changes nothing in the damaged folder, and writes over nothing', async () => {
  const data = folder.name();
  cpSync(sound, data, { recursive: true });
  const file = join(data, 'live', 'data.mdb');
  overwrite(file, 40_000, new Uint8Array(20_000));
  const before = readFileSync(file);
  const to = folder.name();
  await folder.run('salvage', '--data', data, '--to', to);
  expect(readFileSync(file).equals(before)).toBe(true);
  await expect(folder.run('salvage', '--data', data, '--to', to)).rejects.toThrow('holds a record already');
  await expect(folder.run('salvage', '--data', data)).rejects.toThrow('--to NEW_FOLDER is required');
  const lock = await lockFolder(join(data, 'live'));
  await expect(folder.run('salvage', '--data', data, '--to', folder.name())).rejects.toThrow(
    'stop it before',
  );
  await lock.release();
});
