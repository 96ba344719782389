import { beforeEach, expect, it } from 'vitest';
import { type Gap, GapLedger } from './gap-ledger.ts';
import type { LmdbStore } from '../../store/lmdb-store.ts';
import { storePerTest } from '../../store/testing/store-per-test.ts';

const place = storePerTest();
let store: LmdbStore;
let ledger: GapLedger;

beforeEach(() => {
  ({ store } = place);
  ledger = new GapLedger(store);
});

const gap = (from: number, to: number): Gap => ({ coin: 'BTC', from, to, state: 'partial', reason: 'odd' });

it('keeps a minute of late trades beside a gap with the same start', async () => {
  const late: Gap = { ...gap(60_000, 120_000), late: true };
  await store.commit([ledger.entering([late, gap(60_000, 61_000)])]);
  await store.commit([ledger.entering([{ ...gap(60_000, 65_000), state: 'refilled' }])]);
  const refilled = { ...gap(60_000, 65_000), state: 'refilled' };
  expect(await ledger.gaps('BTC', 0, 200_000)).toEqual([refilled, late]);
  await store.commit([await ledger.replacing({ ...gap(0, 90_000), state: 'refilled' })]);
  expect(await ledger.gaps('BTC', 60_000, 200_000)).toMatchObject([
    { from: 0, to: 90_000 },
    { from: 90_000, to: 120_000, late: true },
  ]);
});

it('finds the newest of more than ten thousand gaps, and a long one that began before them all', async () => {
  const long = gap(5, 200_000);
  const short = Array.from({ length: 12_000 }, (_, i) => gap(10 + i * 10, 15 + i * 10));
  await store.commit([ledger.entering([long, ...short, { ...long, coin: 'ETH' }])]);
  expect(await ledger.gaps('BTC', 119_990, 200_000)).toEqual([long, ...short.slice(-2)]);
  await ledger.prune(100_000);
  expect((await ledger.gaps('BTC', 0, 200_000)).length).toBe(1 + 2_001);
});
