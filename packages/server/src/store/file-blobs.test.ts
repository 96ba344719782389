import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FileBlobs } from './file-blobs.ts';

const MIB = 2 ** 20;

let folder: string;
/** A disk of 100 MiB, so that 10 MiB may be used. */
let disk: { sizeBytes: number; freeBytes: number };
let blobs: FileBlobs;

const open = (): Promise<FileBlobs> => FileBlobs.open({ folder, disk: () => Promise.resolve(disk) });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  disk = { sizeBytes: 100 * MIB, freeBytes: 1_000 * MIB };
  blobs = await open();
});

afterEach(() => rmSync(folder, { recursive: true }));

const put = (i: number, bytes = 3 * MIB): Promise<void> =>
  blobs.put(`rot:res:${i}`, { data: new Uint8Array(bytes).fill(i), storedAtMs: i });

async function stored(): Promise<readonly number[]> {
  const all = await Promise.all(
    [1, 2, 3, 4, 5].map(async (i) => ((await blobs.get(`rot:res:${i}`)) ? i : 0)),
  );
  return all.filter((i) => i > 0);
}

it('gives back what was stored, also after a restart, without what was left unfinished', async () => {
  await put(1, 10);
  writeFileSync(join(folder, '2.rot%3Ares%3A2.part'), 'half');
  blobs = await open();
  expect(await blobs.get('rot:res:1')).toEqual({ data: Buffer.alloc(10, 1), storedAtMs: 1 });
  expect(await stored()).toEqual([1]);
  expect(readdirSync(folder)).toEqual(['1.rot%3Ares%3A1']);
});

it('replaces what was stored under a key before', async () => {
  await put(1, 10);
  await blobs.put('rot:res:1', { data: new Uint8Array(3), storedAtMs: 7 });
  expect(await blobs.get('rot:res:1')).toEqual({ data: Buffer.alloc(3), storedAtMs: 7 });
  expect(readdirSync(folder)).toHaveLength(1);
});

it('uses a tenth of the disk, evicts the oldest first, and counts files of the process before', async () => {
  for (const i of [1, 2, 3]) await put(i);
  expect(await stored()).toEqual([1, 2, 3]);
  await put(4);
  expect(await stored()).toEqual([2, 3, 4]);
  blobs = await open();
  await put(5);
  expect(await stored()).toEqual([3, 4, 5]);
  expect(readdirSync(folder)).toHaveLength(3);
  await expect(put(1, 11 * MIB)).rejects.toThrow(/may hold 10485760/);
  expect(await stored()).toEqual([3, 4, 5]);
});

it('stays within its cap when several are stored at a time', async () => {
  await Promise.all([1, 2, 3, 4, 5].map((i) => put(i)));
  expect((await stored()).length).toBe(3);
  expect(readdirSync(folder)).toHaveLength(3);
});

it('leaves 128 MiB of the disk free, and stores nothing where that cannot be', async () => {
  await put(1);
  disk.freeBytes = 130 * MIB;
  await expect(put(2)).rejects.toThrow('leaves 128 MiB of the disk free');
  expect(readdirSync(folder)).toEqual([]);
  disk.freeBytes = 131 * MIB;
  await put(2);
  expect(await stored()).toEqual([2]);
});

it('frees as much as is requested, oldest first', async () => {
  for (const i of [1, 2, 3]) await put(i);
  await blobs.free(4 * MIB);
  expect(await stored()).toEqual([3]);
  await blobs.free(1_000 * MIB);
  expect(readdirSync(folder)).toEqual([]);
});

it('forgets what is too old', async () => {
  for (const i of [1, 2, 3]) await put(i);
  await blobs.prune(3);
  expect(await stored()).toEqual([3]);
  expect(readdirSync(folder)).toHaveLength(1);
});
