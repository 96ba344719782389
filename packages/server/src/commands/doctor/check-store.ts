import { access, constants, mkdtemp, rm, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { datasetsOf } from '../../store/data-folder.ts';
import { DiskRoom } from '../../store/disk-room.ts';
import { FolderInUseError, lockFolder } from '../../store/folder-lock.ts';
import type { Finding } from './finding.ts';

const TRIAL_FOLDER = '.doctor-';

export interface StoreCheck {
  readonly findings: readonly Finding[];
  /** Free space where the folder is or would be created. */
  readonly freeBytes: number | undefined;
  /** Whether the dataset has a record. */
  readonly isRecorded: boolean;
}

/** Whether the data folder can be used. Leaves nothing behind. */
export async function checkStore(data: string, tenant: string): Promise<StoreCheck> {
  const what = 'data folder';
  const folder = resolve(data);
  try {
    const place = await existing(folder);
    const { bavail, bsize } = await statfs(place);
    const freeBytes = bavail * bsize;
    const trial = await mkdtemp(join(place, TRIAL_FOLDER));
    try {
      const disk = new DiskRoom({ folder: trial });
      disk.checkWrite(await disk.measure(), 0);
    } finally {
      await rm(trial, { recursive: true });
    }
    const isRecorded = place === folder && (await datasetsOf(folder)).includes(tenant);
    const detail = place === folder ? `${folder} can be written to` : `${folder} will be created`;
    const findings: Finding[] = [{ what, verdict: 'ok', detail }];
    if (isRecorded) findings.push(await checkLock(join(folder, tenant)));
    return { findings, freeBytes, isRecorded };
  } catch (error) {
    const detail = `${folder} cannot be used: ${(error as Error).message}`;
    return { findings: [{ what, verdict: 'fail', detail }], freeBytes: undefined, isRecorded: false };
  }
}

async function checkLock(path: string): Promise<Finding> {
  const what = 'record';
  try {
    const lock = await lockFolder(path);
    await lock.release();
    return { what, verdict: 'ok', detail: `${path} exists and is not in use` };
  } catch (error) {
    return error instanceof FolderInUseError
      ? { what, verdict: 'ok', detail: `${path} is in use by a running service` }
      : { what, verdict: 'fail', detail: `${path} cannot be recorded into: ${(error as Error).message}` };
  }
}

/** The folder itself, or its nearest existing parent. */
async function existing(folder: string): Promise<string> {
  try {
    await access(folder, constants.W_OK);
    return folder;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
    return existing(dirname(folder));
  }
}
