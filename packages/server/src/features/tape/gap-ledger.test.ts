import { beforeEach, expect, it } from 'vitest';
import { type Gap, GapLedger, ledgerTables } from './gap-ledger.ts';
import type { LmdbStore } from '../../store/lmdb-store.ts';
import type { Store, Table } from '../../store/store.ts';
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
  await store.commit([...ledger.entering([late, gap(60_000, 61_000)])]);
  await store.commit([...ledger.entering([{ ...gap(60_000, 65_000), state: 'refilled' }])]);
  const refilled = { ...gap(60_000, 65_000), state: 'refilled' };
  expect(await ledger.gaps('BTC', 0, 200_000)).toEqual([refilled, late]);
  await store.commit([...(await ledger.replacing({ ...gap(0, 90_000), state: 'refilled' }))]);
  expect(await ledger.gaps('BTC', 60_000, 200_000)).toMatchObject([
    { from: 0, to: 90_000 },
    { from: 90_000, to: 120_000, late: true },
  ]);
});

it('finds the newest of more than ten thousand gaps, and a long one that began before them all', async () => {
  const long = gap(5, 200_000);
  const short = Array.from({ length: 12_000 }, (_, i) => gap(10 + i * 10, 15 + i * 10));
  await store.commit([...ledger.entering([long, ...short, { ...long, coin: 'ETH' }])]);
  expect(await ledger.gaps('BTC', 119_990, 200_000)).toEqual([long, ...short.slice(-2)]);
  await ledger.prune(100_000);
  expect((await ledger.gaps('BTC', 0, 200_000)).length).toBe(1 + 2_001);
});

/** A store that counts the rows that are read. */
function counting(): { readonly store: Store; rows: number } {
  const counted = {
    rows: 0,
    store: {
      table: (name: string, encoding: 'json') => {
        const table = store.table(name, encoding);
        const reading: Table<unknown> = {
          ...table,
          puts: (entries) => table.puts(entries),
          removes: (keys) => table.removes(keys),
          get: async (key) => {
            counted.rows += 1;
            return table.get(key);
          },
          range: async (range) => {
            const rows = await table.range(range);
            counted.rows += rows.length;
            return rows;
          },
        };
        return reading;
      },
      commit: (changes) => store.commit(changes),
    } as Store,
  };
  return counted;
}

it('reads the gaps of a range without those of all the days before it', async () => {
  const hour = 3_600_000;
  const hours = Array.from({ length: 5_000 }, (_, i) => ({
    ...gap(i * hour, i * hour + 60_000),
    late: true,
  }));
  const long = [gap(7, 4_999 * hour + 1), gap(8, 3 * hour), gap(9, 4_999 * hour + 30_000)];
  const counted = counting();
  const own = new GapLedger(counted.store);
  await own.index();
  await store.commit([...own.entering([...hours, ...long])]);
  counted.rows = 0;
  expect(await own.gaps('BTC', 4_999 * hour, 5_000 * hour)).toEqual([long[0], long[2], hours.at(-1)]);
  expect(counted.rows).toBeLessThan(20);
  await own.prune(4_998 * hour);
  expect((await own.gaps('BTC', 0, 5_000 * hour)).length).toBe(4);
});

it('finds long gaps that were entered before they were listed apart, before they are and after', async () => {
  const long = gap(5, 9 * 86_400_000);
  const old = store.table<Gap>(ledgerTables.gaps, 'json');
  await store.commit([old.puts([{ key: ['hyperliquid:BTC', long.from], value: long }])]);
  const range = ['BTC', 8 * 86_400_000, 10 * 86_400_000] as const;
  expect(await ledger.gaps(...range)).toEqual([long]);
  await new GapLedger(store).index();
  const counted = counting();
  expect(await new GapLedger(counted.store).gaps(...range)).toEqual([long]);
  // A release that does not list them writes one more; the next start finds it.
  const more = gap(6, 9 * 86_400_000);
  await store.commit([old.puts([{ key: ['hyperliquid:BTC', more.from], value: more }])]);
  await new GapLedger(store).index();
  expect(await ledger.gaps(...range)).toEqual([long, more]);
});
