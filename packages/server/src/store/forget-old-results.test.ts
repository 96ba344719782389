import { expect, it } from 'vitest';
import { forgetOldResults } from './forget-old-results.ts';
import { TableBlobs } from './table-blobs.ts';
import { storePerTest } from './testing/store-per-test.ts';

const place = storePerTest();

it('removes the results that an earlier version stored beside the tape, and nothing else', async () => {
  const { store } = place;
  const chunks = store.table('chunks', 'binary');
  await store.commit([chunks.puts([{ key: ['BTC', 1], value: new Uint8Array(9) }])]);
  const blobs = new TableBlobs(store);
  for (let i = 0; i < 20; i += 1) await blobs.put(`r${i}`, { data: new Uint8Array(10_000), storedAtMs: i });
  await forgetOldResults(store);
  expect(await store.table('results', 'binary').keys({ limit: 1 })).toEqual([]);
  expect(await store.table('result-ages', 'json').keys({ limit: 1 })).toEqual([]);
  expect(await chunks.keys({ limit: 9 })).toEqual([['BTC', 1]]);
});

it('makes no table in a store that never had results', async () => {
  await forgetOldResults(place.store);
  expect(place.store.tableNames()).toEqual([]);
});
