import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Trade } from '@crosstape/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { auditTicks, type Damage } from './audit-ticks.ts';
import { type Gap, GapLedger, ledgerTables, type Span } from './gap-ledger.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import type { Change, Entry, Key, Table } from '../../store/store.ts';
import { TickBuffer } from './tick-buffer.ts';
import { TickTable, tickTables } from './tick-table.ts';

const T = 1_760_000_000_000;

let folder: string;
let store: LmdbStore;
let table: TickTable;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  store = new LmdbStore(folder);
  table = new TickTable(store);
  const ledger = new GapLedger(store);
  await store.commit([
    ...seal(T, 100),
    ...seal(T + 1_000, 50),
    ...table.appending('BTC', buffer(T + 2_000, 10), 0, 10, 1),
    ...table.appending('BTC', buffer(T + 2_009, 5, 90), 0, 5, 2),
    ledger.extending({ from: T, to: T + 3_000 }),
    ...ledger.entering([{ coin: 'BTC', from: T + 200, to: T + 900, state: 'missing', reason: 'no socket' }]),
  ]);
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function buffer(fromTs: number, count: number, firstTid = 0, stepMs = 1): TickBuffer {
  const ticks = new TickBuffer();
  const trade = {
    coin: 'BTC',
    venue: 'v',
    side: 'buy',
    price: 10.5,
    size: 2,
    notionalUsd: 21,
    sameOrder: false,
  };
  for (let i = 0; i < count; i += 1)
    ticks.add({ ...trade, ts: fromTs + i * stepMs, tid: firstTid + i } as Trade);
  return ticks;
}

function seal(fromTs: number, count: number, coin = 'BTC'): readonly Change[] {
  return table.sealing(coin, buffer(fromTs, count), count, []);
}

/** The first chunk and its ids as stored. */
async function rows(): Promise<{ chunk: Entry<Uint8Array>; ids: Entry<Uint8Array> }> {
  const [chunk] = await store.table(tickTables.chunks, 'binary').range({ limit: 1 });
  const [ids] = await store.table(tickTables.ids, 'binary').range({ limit: 1 });
  return { chunk: chunk as Entry<Uint8Array>, ids: ids as Entry<Uint8Array> };
}

it('finds nothing in a sound store, and counts what is there', async () => {
  let chunks = 0;
  const audit = await auditTicks(store, () => (chunks += 1));
  expect(audit).toMatchObject({ gaps: 1, spans: 1, damages: [], damaged: 0 });
  expect(audit.coins).toEqual([
    {
      coin: 'BTC',
      chunks: 2,
      trades: 150,
      tailTrades: 15,
      bytes: expect.any(Number) as number,
      firstTs: T,
      lastTs: T + 2_013,
    },
  ]);
  expect(chunks).toBe(2);
});

const ids = (): Table<Uint8Array> => store.table(tickTables.ids, 'binary');
const chunks = (): Table<Uint8Array> => store.table(tickTables.chunks, 'binary');
const tail = (): Table<Uint8Array> => store.table(tickTables.tail, 'binary');

/** The first chunk, under another key. */
async function moved(key: Key): Promise<readonly Change[]> {
  const { chunk } = await rows();
  return [chunks().removes([chunk.key]), chunks().puts([{ key, value: chunk.value }])];
}

function gap(part: object): Change {
  const value = { coin: 'BTC', from: 7, to: 8, state: 'missing', reason: '', ...part } as Gap;
  return store.table<Gap>(ledgerTables.gaps, 'json').puts([{ key: ['hyperliquid:BTC', 7], value }]);
}

interface Case {
  readonly part: Damage['part'];
  readonly problem: RegExp;
  readonly changes: () => Promise<readonly Change[]> | readonly Change[];
}

const cases: Readonly<Record<string, Case>> = {
  'a flipped bit': {
    part: 'chunk',
    problem: /./,
    changes: async () => {
      const { chunk } = await rows();
      const value = Uint8Array.from(chunk.value);
      value[30] = (value[30] as number) ^ 0x10;
      return [chunks().puts([{ key: chunk.key, value }])];
    },
  },
  'a chunk cut short': {
    part: 'chunk',
    problem: /unexpected end/,
    changes: async () => {
      const { chunk } = await rows();
      return [chunks().puts([{ key: chunk.key, value: chunk.value.subarray(0, -9) }])];
    },
  },
  'a key that counts other trades': {
    part: 'chunk',
    problem: /100 trades are in it, its key says 99/,
    changes: () => moved(['hyperliquid:BTC', T, T + 99, 99]),
  },
  'a key that begins elsewhere': {
    part: 'chunk',
    problem: /begins at 1760000000000, its key says 1759999999999/,
    changes: () => moved(['hyperliquid:BTC', T - 1, T + 99, 100]),
  },
  'a key that ends elsewhere': {
    part: 'chunk',
    problem: /ends at 1760000000099, its key says 1760000000100/,
    changes: () => moved(['hyperliquid:BTC', T, T + 100, 100]),
  },
  'a key of another shape': {
    part: 'chunk',
    problem: /the key is not/,
    changes: () => [chunks().puts([{ key: ['hyperliquid:BTC', 5], value: new Uint8Array() }])],
  },
  'missing ids': {
    part: 'chunk',
    problem: /its ids are missing/,
    changes: async () => [ids().removes([(await rows()).ids.key])],
  },
  'ids without a chunk': {
    part: 'ids',
    problem: /there is no chunk/,
    changes: async () => [chunks().removes([(await rows()).chunk.key])],
  },
  'ids of another chunk': {
    part: 'ids',
    problem: /50 ids are in it, its key says 100/,
    changes: async () => {
      const other = await ids().get(['hyperliquid:BTC', T + 1_000, T + 1_049, 50]);
      return [ids().puts([{ key: (await rows()).ids.key, value: other as Uint8Array }])];
    },
  },
  'a trade that is there twice': {
    part: 'ids',
    problem: /is in it twice/,
    changes: () => {
      const twice = buffer(T + 5_000, 2, 1, 0);
      twice.ids.tid[1] = 1;
      return table.sealing('ETH', twice, 2, []);
    },
  },
  'a chunk within another': {
    part: 'chunk',
    problem: /begins at 1760000000050, but what is before it ends at 1760000000099/,
    changes: () => seal(T + 50, 10),
  },
  'a tail within a chunk': {
    part: 'tail',
    problem: /begins at 1760000001049, but/,
    changes: () => table.appending('BTC', buffer(T + 1_049, 3), 0, 3, 0),
  },
  'a piece of the tail that is older than the previous one': {
    part: 'tail',
    problem: /begins at 1760000001999, but/,
    changes: () => table.appending('BTC', buffer(T + 1_999, 3), 0, 3, 3),
  },
  'a piece of the tail that is no payload': {
    part: 'tail',
    problem: /./,
    changes: () => [tail().puts([{ key: ['hyperliquid:BTC', 3], value: new Uint8Array(9) }])],
  },
  'a piece of the tail without a position': {
    part: 'tail',
    problem: /the key is not/,
    changes: () => [tail().puts([{ key: ['hyperliquid:BTC'], value: new Uint8Array(9) }])],
  },
  'a gap of another coin': {
    part: 'gap',
    problem: /speaks of ETH/,
    changes: () => [gap({ coin: 'ETH' })],
  },
  'a gap of an unknown state': {
    part: 'gap',
    problem: /state is odd/,
    changes: () => [gap({ state: 'odd' })],
  },
  'a gap that ends before it begins': {
    part: 'gap',
    problem: /ends at 6/,
    changes: () => [gap({ to: 6 })],
  },
  'a span under another key': {
    part: 'span',
    problem: /begins at 8, its key says 7/,
    changes: () => [
      store
        .table<Span>(ledgerTables.spans, 'json')
        .puts([{ key: ['hyperliquid', 7], value: { from: 8, to: 9 } }]),
    ],
  },
};

it.each(Object.entries(cases))('finds %s', async (_, { part, problem, changes }) => {
  await store.commit(await changes());
  const { damages, damaged } = await auditTicks(store);
  expect(damaged).toBeGreaterThan(0);
  expect(damages).toContainEqual({
    part,
    key: expect.anything() as Damage['key'],
    problem: expect.stringMatching(problem) as string,
  });
});

it('counts more damages than it lists', async () => {
  const odd = Array.from({ length: 150 }, (_, i) => ({
    key: ['hyperliquid:BTC', i],
    value: new Uint8Array(),
  }));
  await store.commit([chunks().puts(odd)]);
  const { damages, damaged } = await auditTicks(store);
  expect([damages.length, damaged]).toEqual([100, 150]);
});
