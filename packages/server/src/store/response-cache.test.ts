import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Log } from '../platform/log.ts';
import { ResponseCache } from './response-cache.ts';
import { LmdbStore } from './lmdb-store.ts';

let folder: string;
let store: LmdbStore;
const errors: string[] = [];
const silent = (): void => undefined;
const log: Log = { debug: silent, info: silent, warn: silent, error: (_, message) => errors.push(message) };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-kept-'));
  store = new LmdbStore(folder);
  errors.length = 0;
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

describe('ResponseCache', () => {
  it('is there at once after a restart, the newest of each name', async () => {
    const table = await ResponseCache.open<{ n: number }>(store, 'kept', log);
    expect(table.get('a:b')).toBeUndefined();
    table.put('a:b', { n: 1 });
    table.put('a:b', { n: 2 });
    table.put('c:d', { n: 3 });
    expect(table.get('a:b')).toEqual({ n: 2 });
    await table.close();
    await store.close();
    store = new LmdbStore(folder);
    const again = await ResponseCache.open<{ n: number }>(store, 'kept', log);
    expect(again.get('a:b')).toEqual({ n: 2 });
    expect(again.get('c:d')).toEqual({ n: 3 });
  });

  it('reads what another process has written meanwhile', async () => {
    const [mine, other] = [
      await ResponseCache.open<number>(store, 'kept', log),
      await ResponseCache.open<number>(store, 'kept', log),
    ];
    other.put('a', 1);
    await other.close();
    expect(mine.get('a')).toBeUndefined();
    await mine.reload();
    expect(mine.get('a')).toBe(1);
  });

  it('holds in memory, and says so, when it cannot be written', async () => {
    const failing = { ...storeOf(store), commit: () => Promise.reject(new Error('no space left')) };
    const table = await ResponseCache.open<number>(failing, 'kept', log);
    table.put('a', 1);
    await table.close();
    expect(table.get('a')).toBe(1);
    expect(errors).toEqual(['cannot save a value for the next start']);
  });

  it('has a bound', async () => {
    const unwritten = { ...storeOf(store), commit: async () => undefined };
    const table = await ResponseCache.open<number>(unwritten, 'kept', log);
    const fill = (): void => {
      for (let i = 0; i <= 1_000; i += 1) table.put(`${i}`, i);
    };
    expect(fill).toThrow(RangeError);
    await table.close();
  });
});

function storeOf(lmdb: LmdbStore): Pick<LmdbStore, 'table' | 'probe' | 'close'> {
  return {
    table: (name: string, encoding: 'json' | 'binary') => lmdb.table(name, encoding),
    probe: () => lmdb.probe(),
    close: () => lmdb.close(),
  };
}
