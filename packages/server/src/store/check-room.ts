import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Room that is left to whoever else needs it, and for the commits that are under way. */
const RESERVE_BYTES = 32 * 2 ** 20;
const TRIAL_BYTES = 64 * 1024;
const TRIAL_FILE = 'trial';

/**
 * Throws where a commit would fail. lmdb must not find out by itself: it tells of a write that failed in a text longer
 * than the memory it has for it, and sooner or later that brings the process down.
 */
export async function checkRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < RESERVE_BYTES)
    throw new Error(`no space left: less than ${RESERVE_BYTES / 2 ** 20} MiB are free where ${folder} is`);
  const trial = join(folder, TRIAL_FILE);
  try {
    await writeFile(trial, new Uint8Array(TRIAL_BYTES));
  } finally {
    await rm(trial, { force: true });
  }
}
