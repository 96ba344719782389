import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Incremented when the previous version can no longer read the folder. */
const FORMAT_VERSION = 2;
/** Versions that are migrated, each record when it is opened: `migrateTape`. */
const MIGRATED_VERSIONS: ReadonlySet<unknown> = new Set([1]);
const FORMAT_FILE = 'format.json';
const UNFINISHED_FILE = 'unfinished';
/** Held by the process that records into a dataset's folder. */
export const LOCK_FILE = 'lock';

export class DataFolderError extends Error {
  override readonly name: string = 'DataFolderError';
}

/** The dataset of a simulated market: `sim/1`, `sim/1-real`. */
export function simulatedDataset({ seed, size }: { readonly seed: number; readonly size: string }): string {
  return size === 'everyday' ? `sim/${seed}` : `sim/${seed}-${size}`;
}

/**
 * Checks the format of the folder and returns the folder of a dataset: live and simulated data, and markets of
 * different seeds, never share files.
 */
export async function openDataFolder(folder: string, tenant: string): Promise<string> {
  const path = join(folder, tenant);
  try {
    await mkdir(path, { recursive: true });
    const file = join(folder, FORMAT_FILE);
    // Written before the migration: an older version must not open a partly migrated record.
    if ((await checkFormat(file)) !== FORMAT_VERSION) await writeFormat(file);
  } catch (error) {
    throw unusable(folder, error);
  }
  return path;
}

/** The datasets of a folder, whose format must be supported. Changes nothing. */
export async function datasetsOf(folder: string): Promise<readonly string[]> {
  try {
    if ((await checkFormat(join(folder, FORMAT_FILE))) === undefined) return [];
    const live = (await exists(join(folder, 'live'))) ? ['live'] : [];
    const seeds = (await exists(join(folder, 'sim'))) ? await readdir(join(folder, 'sim')) : [];
    return [...live, ...seeds.toSorted().map((seed) => `sim/${seed}`)];
  } catch (error) {
    throw unusable(folder, error);
  }
}

/** Discards unfinished data of a process that died. Only for the holder of the folder's lock. */
export async function clearUnfinished(path: string): Promise<void> {
  if (!(await isUnfinished(path))) return;
  for (const name of await readdir(path)) {
    if (name !== LOCK_FILE && name !== UNFINISHED_FILE) await rm(join(path, name), { recursive: true });
  }
  await markFinished(path);
}

export async function isUnfinished(path: string): Promise<boolean> {
  return exists(join(path, UNFINISHED_FILE));
}

function unusable(folder: string, error: unknown): DataFolderError {
  if (error instanceof DataFolderError) return error;
  return new DataFolderError(`the data folder ${folder} cannot be used: ${(error as Error).message}`);
}

/** Until it is finished, data being created in a dataset's folder are discarded at the next start and created again. */
export async function markUnfinished(path: string): Promise<void> {
  await writeFile(join(path, UNFINISHED_FILE), '');
}

export async function markFinished(path: string): Promise<void> {
  await rm(join(path, UNFINISHED_FILE));
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Atomically: a folder of unknown format is refused. */
async function writeFormat(file: string): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify({ version: FORMAT_VERSION })}\n`);
  await rename(`${file}.new`, file);
}

/** The version in the format file, `undefined` if there is none; throws for an unreadable one. */
async function checkFormat(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const version = readVersion(text);
  if (version !== FORMAT_VERSION && !MIGRATED_VERSIONS.has(version)) {
    throw new DataFolderError(
      `${file} says format version ${JSON.stringify(version) ?? 'unknown'}, this Crosstape reads version ${FORMAT_VERSION}: use another --data folder`,
    );
  }
  return version;
}

function readVersion(text: string): unknown {
  try {
    return (JSON.parse(text) as { version?: unknown }).version;
  } catch {
    return undefined;
  }
}
