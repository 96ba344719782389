import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Grows when what lies in the folder can no longer be read by the version before. */
const FORMAT_VERSION = 1;
const FORMAT_FILE = 'format.json';
const UNFINISHED_FILE = 'unfinished';

export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

/**
 * Makes sure that the folder is of a format that this version reads, and gives the part of it that belongs to
 * `tenant`: live and simulated data, and the markets of different seeds, never share files.
 */
export async function openDataFolder(folder: string, tenant: string): Promise<string> {
  const path = join(folder, tenant);
  try {
    if (await exists(join(path, UNFINISHED_FILE))) await rm(path, { recursive: true });
    await mkdir(path, { recursive: true });
    await checkFormat(join(folder, FORMAT_FILE));
  } catch (error) {
    if (error instanceof DataFolderError) throw error;
    throw new DataFolderError(`the data folder ${folder} cannot be used: ${(error as Error).message}`);
  }
  return path;
}

/** Until it is finished, what is being made in a tenant's folder is thrown away at the next start and made anew. */
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

async function checkFormat(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return writeFile(file, `${JSON.stringify({ version: FORMAT_VERSION })}\n`);
  const version = readVersion(text);
  if (version !== FORMAT_VERSION) {
    throw new DataFolderError(
      `${file} says format version ${JSON.stringify(version) ?? 'unknown'}, this Crosstape reads version ${FORMAT_VERSION}: use another --data folder`,
    );
  }
}

function readVersion(text: string): unknown {
  try {
    return (JSON.parse(text) as { version?: unknown }).version;
  } catch {
    return undefined;
  }
}
