import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FILLER = 'filler';
const PIECE = new Uint8Array(64 * 1024);

/** A disk of its own size, in memory. */
export class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), 'crosstape-disk-'));

  /** Mounting takes privileges that not every machine grants. */
  static readonly isPossible = canMount();

  constructor(mib: number) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'crosstape-test', this.folder]);
  }

  resize(mib: number): void {
    execFileSync('mount', ['-o', `remount,size=${mib}m`, this.folder]);
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  /** Another program writes until only this many bytes are left; less than a page counts as nothing. */
  fill(leaveBytes: number): void {
    const file = openSync(join(this.folder, FILLER), 'a');
    try {
      for (let left = this.freeBytes - leaveBytes; left > 0; left = this.freeBytes - leaveBytes)
        if (writeSync(file, PIECE, 0, Math.min(left, PIECE.length)) === 0) return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  /** The other program removes what it wrote. */
  empty(): void {
    rmSync(join(this.folder, FILLER), { force: true });
  }

  unmount(): void {
    execFileSync('umount', ['--lazy', this.folder]);
    rmdirSync(this.folder);
  }
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'crosstape-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'crosstape-test', folder], { stdio: 'ignore' });
    execFileSync('umount', ['--lazy', folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}
