import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock, type Print } from '@crosstape/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LocalBus } from '../platform/local-bus.ts';
import { LmdbStore } from '../store/lmdb-store.ts';
import { WhaleShelf } from '../store/whale-shelf.ts';
import { printTopic } from '../topics.ts';
import { createWhaleReader, type WhaleReader } from './whales.ts';

let folder: string;
let store: LmdbStore;
let shelf: WhaleShelf;
let bus: LocalBus;
let reader: WhaleReader;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  store = new LmdbStore(folder);
  shelf = new WhaleShelf(store);
  bus = new LocalBus(new ManualClock(50_000));
  reader = createWhaleReader({ bus, shelf, recordedSinceMs: () => 7 });
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function print(tid: number, notionalUsd: number, coin = 'BTC'): Print {
  return {
    coin,
    venue: 'hyperliquid',
    side: 'sell',
    price: 1,
    size: notionalUsd,
    notionalUsd,
    ts: 40_000 + tid,
    tid,
    fills: 1,
  };
}

it('joins what is written with what is not, each print once, newest first', async () => {
  await shelf.append([print(1, 20_000), print(2, 30_000)]);
  for (const one of [print(2, 30_000), print(3, 40_000), print(4, 40_000, 'ETH')])
    bus.publish(printTopic, one);
  const { prints, completeSinceMs } = await reader.newest({ minUsd: 10_000, coin: 'BTC', limit: 10 });
  expect(prints.map(({ tid }) => tid)).toEqual([3, 2, 1]);
  expect(completeSinceMs).toBe(7);
  expect((await reader.newest({ minUsd: 10_000, limit: 2 })).prints.map(({ tid }) => tid)).toEqual([4, 3]);
});

it('takes small prints from the log and says how far back that goes', async () => {
  bus.publish(printTopic, print(5, 50));
  bus.publish(printTopic, print(6, 60));
  const { prints, completeSinceMs } = await reader.newest({ minUsd: 55, limit: 10, sinceMs: 0 });
  expect(prints.map(({ tid }) => tid)).toEqual([6]);
  expect(completeSinceMs).toBe(50_000);
});
