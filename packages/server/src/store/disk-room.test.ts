import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskRoom, type DiskRoomOptions } from './disk-room.ts';

const MIB = 2 ** 20;

let folder: string;
let freeBytes: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  freeBytes = 1_000 * MIB;
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const room = (options: Partial<DiskRoomOptions> = {}): DiskRoom =>
  new DiskRoom({ folder, disk: () => Promise.resolve({ sizeBytes: 2_000 * MIB, freeBytes }), ...options });

const reserveSize = (): number => statSync(join(folder, 'reserve')).size;

describe('a commit that writes', () => {
  it('leaves 32 MiB beside what it writes', async () => {
    const disk = room();
    freeBytes = 40 * MIB;
    disk.checkWrite(await disk.measure(), 8 * MIB);
    expect(() => disk.checkWrite({ freeBytes, freePageBytes: 0 }, 8 * MIB + 1)).toThrow(
      `no space left: less than 32 MiB are free on the disk of ${folder}`,
    );
  });

  it('continues in free pages of the file, as long as the file may still grow a little', async () => {
    freeBytes = 6 * MIB;
    let freePageBytes = 40 * MIB;
    const disk = room({ freePageBytes: () => freePageBytes });
    disk.checkWrite(await disk.measure(), MIB);
    freePageBytes = 32 * MIB;
    expect(await disk.measure()).toEqual({ freeBytes, freePageBytes });
    expect(() => disk.checkWrite({ freeBytes, freePageBytes }, MIB)).toThrow('no space left');
    freeBytes = 4 * MIB;
    expect(() => disk.checkWrite({ freeBytes, freePageBytes: 40 * MIB }, MIB)).toThrow('no space left');
  });
});

describe('a commit that only removes', () => {
  it('needs 1 MiB of the disk or of the file', async () => {
    const disk = room();
    disk.checkRemoval({ freeBytes: MIB, freePageBytes: 0 });
    disk.checkRemoval({ freeBytes: 0, freePageBytes: MIB });
    expect(() => disk.checkRemoval({ freeBytes: MIB - 1, freePageBytes: MIB - 1 })).toThrow('no space left');
  });

  it('finds it on a full disk in a file that is kept for it, and taken again later', async () => {
    const disk = room();
    await disk.measure();
    expect(reserveSize()).toBe(2 * MIB);
    const atFirst = freeBytes;
    freeBytes = 0;
    const full = room({
      disk: () => Promise.resolve({ sizeBytes: 2_000 * MIB, freeBytes: freeBytes + 2 * MIB - reserveSize() }),
    });
    full.checkRemoval(await full.measure());
    expect(reserveSize()).toBe(64 * 1024);
    // Later attempts overwrite the same bytes.
    full.checkRemoval(await full.measure());
    freeBytes = atFirst;
    await disk.measure();
    expect(reserveSize()).toBe(2 * MIB);
  });
});

it('asks for room below 64 MiB, before anything is refused', async () => {
  const asked: number[] = [];
  const disk = room({
    makeRoom: (bytes) => {
      asked.push(bytes);
      freeBytes += 20 * MIB;
      return Promise.resolve();
    },
  });
  await disk.measure();
  expect(asked).toEqual([]);
  freeBytes = 50 * MIB;
  expect(await disk.measure()).toEqual({ freeBytes: 70 * MIB, freePageBytes: 0 });
  expect(asked).toEqual([14 * MIB]);
});

it('rejects where nothing can be written', async () => {
  rmSync(folder, { recursive: true });
  await expect(room().measure()).rejects.toThrow('ENOENT');
});
