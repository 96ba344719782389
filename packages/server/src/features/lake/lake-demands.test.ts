import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS, ManualClock } from '@crosstape/core';
import { expect, it, vi } from 'vitest';
import type { JobRunner } from '../../platform/jobs.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import type { RepairedTable } from '../audit/repaired-table.ts';
import type { MarketReader } from '../market-tape/market-reader.ts';
import { Lake } from './lake.ts';
import { LakeFolder } from './lake-folder.ts';
import { dateOf, lakeKeyOf } from './lake-key.ts';

const NOW_MS = Date.UTC(2026, 10, 16, 12);
const WAIT = { timeout: 60_000 };

it('makes no more than half of the files at a time for one caller', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crosstape-lake-'));
  const clock = new ManualClock(NOW_MS);
  const ends: (() => void)[] = [];
  const jobs = {
    run: () => new Promise((resolve) => ends.push(() => resolve(undefined))),
    stop: async () => undefined,
  } as unknown as JobRunner;
  const lake = new Lake({
    clock,
    bus: new LocalBus(clock),
    log: { debug() {}, info() {}, warn() {}, error() {} },
    jobs,
    place: '',
    folder: await LakeFolder.open(folder, 2 ** 20),
    markets: {} as MarketReader,
    repairs: {} as RepairedTable,
    primaryVenue: 'hyperliquid',
    retentionDays: 7,
    prefix: '',
  });
  const keyOf = (venue: string): string =>
    lakeKeyOf({ table: 'liquidations', venue, date: dateOf(NOW_MS - DAY_MS) });
  const venues = ['okx', 'bybit', 'binance', 'bitget', 'gate', 'kraken'] as const;
  const wanted = venues.map((venue) => lake.find(keyOf(venue), 'one address'));
  await vi.waitUntil(() => ends.length === 4, WAIT);
  const others = ['hyperliquid', 'mexc'].map((venue) => lake.find(keyOf(venue), 'another'));
  await vi.waitUntil(() => ends.length === 6, WAIT);
  // The same file is made once, for however many callers.
  others.push(lake.find(keyOf('okx'), 'another'));
  for (let ended = 0; ended < venues.length + 2; ended += 1) {
    await vi.waitUntil(() => ends.length > ended, WAIT);
    ends[ended]?.();
  }
  expect(await Promise.all([...wanted, ...others])).toEqual(Array.from({ length: 9 }, () => undefined));
  expect(ends).toHaveLength(8);
  await lake.stop();
  await rm(folder, { recursive: true });
});
