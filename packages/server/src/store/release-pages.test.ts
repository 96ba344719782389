import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { type MappedRange, mapsOf, openSystemMemory, unchangedMapsOf } from '../platform/system-memory.ts';
import { keepMemorySmall } from './keep-memory-small.ts';
import { STORE_FILE } from './lmdb-store.ts';
import { storePerTest } from './testing/store-per-test.ts';

const place = storePerTest();
const ignore = (): void => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

it.runIf(process.platform === 'linux')(
  'gives the pages of the store back, and reads them again',
  async () => {
    const { store, folder } = place;
    const table = store.table<Uint8Array>('chunks', 'binary');
    const keys = Array.from({ length: 64 }, (_, i) => ['BTC', i]);
    await store.commit([table.puts(keys.map((key, i) => ({ key, value: new Uint8Array(60_000).fill(i) })))]);
    const sum = async (): Promise<number> => {
      let total = 0;
      for (const key of keys) total += (await table.get(key))?.at(-1) ?? Number.NaN;
      return total;
    };
    const before = await sum();
    expect(residentKb(join(folder, STORE_FILE))).toBeGreaterThan(3_000);
    const memory = await openSystemMemory();
    await memory?.dropPages(await memory.mapsOf(join(folder, STORE_FILE)));
    expect(residentKb(join(folder, STORE_FILE))).toBeLessThan(500);
    expect(await sum()).toBe(before);
  },
);

it('is stopped only when the running release has ended, so that the store can be closed', async () => {
  const clock = new ManualClock(0);
  let endDrop = ignore;
  const asked: string[] = [];
  const dropped: (readonly MappedRange[])[] = [];
  const memory = {
    trim: async () => undefined,
    dropProgramPages: async () => undefined,
    mapsOf: async (path: string) => {
      asked.push(path);
      return [{ start: asked.length, bytes: 2 }];
    },
    dropPages: (ranges: readonly MappedRange[]) => {
      dropped.push(ranges);
      return new Promise<void>((resolve) => (endDrop = resolve));
    },
  };
  const stop = keepMemorySmall({ memory, clock, log, storeFile: '/a b/data.mdb' });
  const pass = async (ms: number): Promise<void> => {
    endDrop();
    await new Promise(setImmediate);
    clock.advance(ms);
    await new Promise(setImmediate);
  };
  for (const ms of [1_000, 1_000, 10_000, 1_000]) await pass(ms);
  const expected = [1, 1, 1, 2].map((start) => [{ start, bytes: 2 }]);
  expect([asked, dropped]).toEqual([['/a b/data.mdb', '/a b/data.mdb'], expected]);
  let isStopped = false;
  const stopping = stop().finally(() => {
    isStopped = true;
  });
  await new Promise(setImmediate);
  expect(isStopped).toBe(false);
  endDrop();
  await stopping;
  await pass(30_000);
  expect(dropped).toHaveLength(4);
});

it('finds only shared maps of the file that cannot be written', () => {
  const maps = [
    '7f0714000000-7f0715000000 r--s 00000000 fe:00 4318117                    /a b/data.mdb',
    '7f0716000000-7f0716001000 rw-s 00000000 fe:00 4318117                    /a b/data.mdb',
    '7f0717000000-7f0717001000 r--p 00000000 fe:00 4318117                    /a b/data.mdb',
    '7f0718000000-7f0718001000 r--s 00000000 fe:00 4318118                    /a b/lock.mdb',
    '7f071a000000-7f071a001000 r--s 00000000 fe:00 4318119                    /another/data.mdb',
    '7f0719000000-7f0719001000 rw-p 00000000 00:00 0',
  ].join('\n');
  expect(mapsOf(maps, '/a b/data.mdb')).toEqual([{ start: 0x7f0714000000, bytes: 0x1000000 }]);
});

it('finds only maps of the program that cannot be written and equal its file', () => {
  const map = (line: string, anonymousKb: number): string =>
    `${line}\nRss:                 100 kB\nAnonymous:           ${anonymousKb} kB\nVmFlags: rd ex`;
  const smaps = [
    map('00400000-00b6f000 r--p 00000000 fe:00 260689                             /usr/bin/node', 0),
    map('00b72000-025fe000 r-xp 00772000 fe:00 260689                             /usr/bin/node', 0),
    map('0563a000-0563e000 r--p 05239000 fe:00 260689                             /usr/bin/node', 8),
    map('0563e000-0565d000 rw-p 0523d000 fe:00 260689                             /usr/bin/node', 0),
    map('7f4d17e40000-7f4d17fd2000 r-xp 00000000 fe:00 260689                     /usr/lib/libc.so.6', 0),
    map('7f4d19e40000-7f4d19fd2000 r--p 00000000 00:00 0', 0),
  ].join('\n');
  expect(unchangedMapsOf(smaps, '/usr/bin/node')).toEqual([
    { start: 0x400000, bytes: 0x76f000 },
    { start: 0xb72000, bytes: 0x1a8c000 },
  ]);
});

it.runIf(process.platform === 'linux')('gives the pages of the program back, and continues', async () => {
  const memory = await openSystemMemory();
  const before = residentKb(process.execPath);
  await memory?.dropProgramPages();
  expect(residentKb(process.execPath)).toBeLessThan(before);
});

function residentKb(path: string): number {
  const [, ...maps] = readFileSync('/proc/self/smaps', 'utf8').split(`${path}\n`);
  return maps.reduce((sum, map) => sum + Number(/Rss:\s+(\d+)/.exec(map)?.[1]), 0);
}
