import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Grows when what lies in the folder can no longer be read by the version before. */
const FORMAT_VERSION = 2;
/** Versions that are migrated, each record when it is opened: `migrateTape`. */
const MIGRATED_VERSIONS: ReadonlySet<unknown> = new Set([1]);
const FORMAT_FILE = 'format.json';
const UNFINISHED_FILE = 'unfinished';
/** The process that records into a dataset's folder. */
export const LOCK_FILE = 'lock';

export class DataFolderError extends Error {
  override readonly name: string = 'DataFolderError';
}

/** The part of a data folder that belongs to a simulated market: `sim/1`, `sim/1-real`. */
export function simulatedDataset({ seed, size }: { readonly seed: number; readonly size: string }): string {
  return size === 'everyday' ? `sim/${seed}` : `sim/${seed}-${size}`;
}

/**
 * Makes sure that the folder is of a format that this version reads, and gives the part of it that belongs to
 * `tenant`: live and simulated data, and the markets of different seeds, never share files.
 */
export async function openDataFolder(folder: string, tenant: string): Promise<string> {
  const path = join(folder, tenant);
  try {
    await mkdir(path, { recursive: true });
    const file = join(folder, FORMAT_FILE);
    // Written before anything is migrated: an older version must not open what is half migrated.
    if ((await checkFormat(file)) !== FORMAT_VERSION) await writeFormat(file);
  } catch (error) {
    throw unusable(folder, error);
  }
  return path;
}

/** The tenants of a folder, which must be of a format that this version reads. Nothing is made or changed. */
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

/** Discards what a process that died left unfinished. Only for the holder of the folder's lock. */
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

/**
 * Until it is finished, what is being created in a dataset's folder is discarded at the next start and created again.
 */
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

/** As a whole or not at all: a folder whose format is not known is refused. */
async function writeFormat(file: string): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify({ version: FORMAT_VERSION })}\n`);
  await rename(`${file}.new`, file);
}

/** The version in the format file, `undefined` when there is none; a version that cannot be read is refused. */
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
