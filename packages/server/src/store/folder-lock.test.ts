import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clearUnfinished, markUnfinished } from './data-folder.ts';
import { lockFolder } from './folder-lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Like another process, such as a container with its own temporary folder. */
function elsewhere(): void {
  const other = join(folder, 'tmp');
  mkdirSync(other);
  vi.stubEnv('TMPDIR', other);
}

/** Leaves the socket of a process that was killed while it held the lock. */
async function leaveSocket(): Promise<void> {
  const program = `require('net').createServer().listen(${JSON.stringify(join(folder, 'lock'))}, () => process.kill(process.pid, 'SIGKILL'))`;
  await promisify(execFile)(process.execPath, ['-e', program]).catch(() => undefined);
  expect(existsSync(join(folder, 'lock'))).toBe(true);
}

describe('the lock of a folder', () => {
  it('is held by one at a time, and by another after it', async () => {
    const first = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(/another Crosstape records into/);
    await first.release();
    const second = await lockFolder(folder);
    await second.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is seen by a process with another temporary folder', async () => {
    const lock = await lockFolder(folder);
    elsewhere();
    await expect(lockFolder(folder)).rejects.toThrow(/another Crosstape records into/);
    await lock.release();
  });

  it('is held on while what was left half made is thrown away', async () => {
    writeFileSync(join(folder, 'data.mdb'), '');
    await markUnfinished(folder);
    const lock = await lockFolder(folder);
    await clearUnfinished(folder);
    expect(readdirSync(folder)).toEqual(['lock']);
    await expect(lockFolder(folder)).rejects.toThrow(/another Crosstape records into/);
    await lock.release();
  });

  it('is taken over from a process that was killed', async () => {
    await leaveSocket();
    const lock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(/another Crosstape records into/);
    await lock.release();
  });

  it('holds in a folder whose path is too long for a socket', async () => {
    const deep = join(folder, 'x'.repeat(100));
    mkdirSync(deep);
    const lock = await lockFolder(deep);
    expect(readdirSync(deep)).toEqual([]);
    await expect(lockFolder(deep)).rejects.toThrow(/another Crosstape records into/);
    await lock.release();
  });

  it('holds in a folder that cannot have a socket', async () => {
    // A folder in place of the socket: it can be neither listened on nor removed as a file.
    mkdirSync(join(folder, 'lock'));
    const lock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(/another Crosstape records into/);
    await lock.release();
  });

  it('is not taken for a leftover when it cannot be asked', async () => {
    symlinkSync('lock', join(folder, 'lock'));
    await expect(lockFolder(folder)).rejects.toThrow('does not report whether its folder is in use');
    expect(readdirSync(folder)).toEqual(['lock']);
  });
});
