import { beforeEach, expect, it } from 'vitest';
import { TableBlobs } from './table-blobs.ts';
import { storePerTest } from './testing/store-per-test.ts';

const place = storePerTest();
const bytesMax = 2_500;
let blobs: TableBlobs;

beforeEach(() => {
  blobs = new TableBlobs(place.store, { bytesMax });
});

const put = (i: number) => blobs.put(`r${i}`, { data: new Uint8Array(1_000).fill(i), storedAtMs: i * 100 });

it('removes the oldest beyond its cap, also after a restart', async () => {
  await put(1);
  await put(2);
  await blobs.prune(0);
  expect(await blobs.get('r1')).toEqual({ data: Buffer.alloc(1_000, 1), storedAtMs: 100 });
  await put(3);
  await blobs.prune(0);
  expect(await blobs.get('r1')).toBeUndefined();
  await put(4);
  const next = new TableBlobs(place.store, { bytesMax });
  await next.prune(0);
  expect(await next.get('r2')).toBeUndefined();
  expect(await next.get('r3')).toBeDefined();
});
