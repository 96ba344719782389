import { HOUR_MS } from '@crosstape/core';
import { beforeEach, expect, it } from 'vitest';
import type { BlobStore, StoredBlob } from '../../store/blob-store.ts';
import { type RotationRecord, RotationTable } from './rotation-table.ts';
import { TableBlobs } from '../../store/table-blobs.ts';
import { storePerTest } from '../../store/testing/store-per-test.ts';

const place = storePerTest();
let table: RotationTable;

beforeEach(() => {
  table = new RotationTable(place.store, new TableBlobs(place.store));
});

function record(i: number, part: Partial<RotationRecord> = {}): RotationRecord {
  const id = `b-${String(i).padStart(6, '0')}`;
  const counts = { trades: 0, totalTrades: 0, bars: 0 };
  const named = { id, specHash: 'x', resultKey: `rot:res:${i}`, submittedAtMs: i, isDegraded: false };
  return { ...named, ...counts, status: 'queued', ...part };
}

const finish = (i: number, endedAtMs: number) =>
  table.finish(record(i, { status: 'done', endedAtMs }), endedAtMs, new Uint8Array(1_000).fill(i));

it('keeps jobs until an hour after their end, however many, and those without an end', async () => {
  const many = Array.from({ length: 450 }, (_, i) => record(i, { endedAtMs: i }));
  await table.save(...many, record(900), record(901, { endedAtMs: HOUR_MS }));
  await table.prune(HOUR_MS + 449);
  expect((await table.jobs()).map(({ id }) => id)).toEqual(['b-000900', 'b-000901']);
  expect(await table.job('b-000001')).toBeUndefined();
  expect(await table.job('b-000900')).toMatchObject({ status: 'queued' });
});

it('keeps results for a day', async () => {
  await finish(1, 100);
  await finish(2, 200);
  await table.prune(24 * HOUR_MS + 150);
  expect(await table.result('rot:res:1')).toBeUndefined();
  expect(await table.result('rot:res:2')).toEqual({ pack: Buffer.alloc(1_000, 2), endedAtMs: 200 });
});

it('does not call a job done whose result could not be stored', async () => {
  const full: BlobStore = {
    put: (_key: string, _blob: StoredBlob) => Promise.reject(new Error('no space left')),
    get: () => Promise.resolve(undefined),
    find: () => Promise.resolve(undefined),
    prune: () => Promise.resolve(),
  };
  table = new RotationTable(place.store, full);
  await expect(finish(1, 100)).rejects.toThrow('no space left');
  expect(await table.job('b-000001')).toBeUndefined();
});
