import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Disk, readDisk } from './read-disk.ts';

/** Free disk space that commits leave for other programs and for commits in flight. */
const RESERVE_BYTES = 32 * 2 ** 20;
/** The same while the store's file has enough free pages: it then grows only if they are too fragmented. */
const RESERVE_WITH_PAGES_BYTES = 4 * 2 ** 20;
/** Needed by a commit that only removes rows: it copies the pages on its path before it frees any. */
const REMOVAL_BYTES = 2 ** 20;
/** Kept allocated in a file, and released when the disk is so full that not even rows could be removed. */
const RELEASABLE_BYTES = 2 * 2 ** 20;
const TRIAL_BYTES = 64 * 1024;
export const RESERVE_FILE = 'reserve';

/** Below this, `makeRoom` is called: other files on the disk are deleted before the store stops. */
const SHORT_BYTES = 2 * RESERVE_BYTES;

export interface Room {
  /** Free on the disk, for unprivileged programs. */
  readonly freeBytes: number;
  /** Free inside the store's file, which the next commits fill first. */
  readonly freePageBytes: number;
}

export interface DiskRoomOptions {
  readonly folder: string;
  /** Called only while the disk is short. */
  readonly freePageBytes?: () => number;
  /** Deletes expendable files, at least this many bytes if there are any. */
  readonly makeRoom?: (bytes: number) => Promise<void>;
  readonly disk?: (folder: string) => Promise<Disk>;
}

/**
 * Measures the free space before lmdb writes. lmdb must not hit a full disk: it formats the error into a buffer that is
 * too small, which sooner or later aborts the process.
 */
export class DiskRoom {
  readonly #options: DiskRoomOptions;

  constructor(options: DiskRoomOptions) {
    this.#options = options;
  }

  /** Rejects if not even a page that the store already owns could be written. */
  async measure(): Promise<Room> {
    const { folder, freePageBytes, makeRoom } = this.#options;
    let freeBytes = await this.#freeBytes();
    if (freeBytes < SHORT_BYTES && makeRoom) {
      await makeRoom(SHORT_BYTES - freeBytes);
      freeBytes = await this.#freeBytes();
    }
    const isShort = freeBytes < SHORT_BYTES;
    await writeTrial(join(folder, RESERVE_FILE), freeBytes);
    if (freeBytes < REMOVAL_BYTES) freeBytes = await this.#freeBytes();
    return { freeBytes, freePageBytes: isShort ? (freePageBytes?.() ?? 0) : 0 };
  }

  /** Throws when a commit that writes this many bytes could fill the disk. */
  checkWrite({ freeBytes, freePageBytes }: Room, bytes: number): void {
    if (freeBytes >= RESERVE_BYTES + bytes) return;
    const hasPages = freePageBytes >= RESERVE_BYTES + bytes;
    if (!hasPages || freeBytes < RESERVE_WITH_PAGES_BYTES + bytes) this.#refuse(RESERVE_BYTES);
  }

  /** Throws when even a commit that only removes rows could fill the disk. */
  checkRemoval({ freeBytes, freePageBytes }: Room): void {
    if (freeBytes < REMOVAL_BYTES && freePageBytes < REMOVAL_BYTES) this.#refuse(REMOVAL_BYTES);
  }

  #refuse(bytes: number): never {
    throw new Error(
      `no space left: less than ${bytes / 2 ** 20} MiB are free on the disk of ${this.#options.folder}`,
    );
  }

  async #freeBytes(): Promise<number> {
    const { disk = readDisk, folder } = this.#options;
    return (await disk(folder)).freeBytes;
  }
}

/**
 * Overwrites the start of the reserve file in place, like lmdb its free pages: that works on a full disk and fails on
 * one that is read-only, broken or over quota. The rest of the file is released while the disk is full, and allocated
 * again later.
 */
async function writeTrial(file: string, freeBytes: number): Promise<void> {
  const handle = await open(file, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return open(file, 'w+');
  });
  try {
    await handle.writeFile(new Uint8Array(TRIAL_BYTES));
    const { size } = await handle.stat();
    if (freeBytes < REMOVAL_BYTES && size > TRIAL_BYTES) await handle.truncate(TRIAL_BYTES);
    else if (freeBytes >= RESERVE_BYTES && size < RELEASABLE_BYTES)
      await handle.writeFile(new Uint8Array(RELEASABLE_BYTES - TRIAL_BYTES));
  } finally {
    await handle.close();
  }
}
