import type { Print } from '@crosstape/core';
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import type { LmdbStore } from '../../store/lmdb-store.ts';
import { WHALE_FLOOR_USD, WhaleTable } from './whale-table.ts';
import { storePerTest } from '../../store/testing/store-per-test.ts';
import { runs } from '../../../../../test/runs.ts';

const place = storePerTest();
let store: LmdbStore;

beforeEach(() => {
  ({ store } = place);
});

const shape = { venue: 'hyperliquid', side: 'buy' as const, price: 100, size: 1, fills: 1 };
const anyPrint = fc.record({
  coin: fc.constantFrom('BTC', 'ETH', 'kPEPE'),
  notionalUsd: fc.oneof(
    fc.integer({ min: 10_000, max: 2_000_000 }),
    fc.constantFrom(99_999.99, 100_000, 999_999.99, 1_000_000, 9_999_999.99, 5e8),
  ),
  ts: fc.integer({ min: 1, max: 1_000 }),
});
const anyQuery = fc.record(
  {
    minUsd: fc.oneof(
      fc.integer({ min: 100_000, max: 3_000_000 }),
      fc.constantFrom(100_000, 1_000_000, 10_000_000, 1e9),
    ),
    coin: fc.constantFrom('BTC', 'ETH', 'SOL'),
    sinceMs: fc.integer({ min: 0, max: 1_100 }),
    limit: fc.integer({ min: 1, max: 30 }),
  },
  { requiredKeys: ['minUsd', 'limit'] },
);

it('answers any query as a plain filter over everything would, also after pruning', async () => {
  const table = new WhaleTable(store);
  let all: Print[] = [];
  let tid = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyPrint, { maxLength: 40 }),
      fc.array(anyQuery, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 0, max: 60 }),
      async (rows, queries, beforeMs) => {
        const prints = rows.map((row) => ({ ...shape, ...row, tid: (tid += 1) }));
        await table.append(prints);
        await table.append(prints.slice(0, 3));
        await table.prune(beforeMs);
        all = [...all, ...prints].filter(
          (print) => print.ts >= beforeMs && print.notionalUsd >= WHALE_FLOOR_USD,
        );
        for (const query of queries) {
          const expected = all
            .filter((print) => print.notionalUsd >= query.minUsd && print.ts >= (query.sinceMs ?? 0))
            .filter((print) => query.coin === undefined || print.coin === query.coin)
            .toSorted((a, b) => b.ts - a.ts || (a.coin === b.coin ? b.tid - a.tid : a.coin < b.coin ? 1 : -1))
            .slice(0, query.limit);
          const { coin, sinceMs, ...rest } = query;
          const wanted = {
            ...rest,
            ...(coin ? { coin } : {}),
            ...(sinceMs === undefined ? {} : { sinceMs }),
          };
          expect(await table.newest(wanted)).toEqual(expected);
        }
      },
    ),
    { numRuns: runs(30), seed: 11 },
  );
});

it('reads past more rows than one scan takes', async () => {
  const table = new WhaleTable(store);
  const small = Array.from({ length: 1_200 }, (_, i) => ({
    ...shape,
    coin: 'BTC',
    notionalUsd: 200_000,
    ts: 10 + i,
    tid: i,
  }));
  const large = { ...shape, coin: 'BTC', notionalUsd: 900_000, ts: 5, tid: 9_999 };
  await table.append([...small, large]);
  expect(await table.newest({ minUsd: 500_000, limit: 10 })).toEqual([large]);
  await table.prune(5_000);
  expect(await table.newest({ minUsd: 100_000, limit: 10 })).toEqual([]);
});
