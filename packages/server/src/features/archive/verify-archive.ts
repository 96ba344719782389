import type { Clock } from '@crosstape/core';
import type { ArchiveCatalog, ArchiveFile } from './archive-catalog.ts';
import { readManifest } from './archive-manifest.ts';
import { ArchiveError, type ArchivePlace, DamagedFileError, MissingFileError } from './archive-place.ts';
import type { ArchiveDamage, DamageList } from './damage-list.ts';
import { checkBytes } from './folder-place.ts';

export interface Verified {
  readonly files: number;
  readonly bytes: number;
  readonly damages: readonly ArchiveDamage[];
}

export interface VerifyOptions {
  readonly catalog: ArchiveCatalog;
  readonly place: ArchivePlace;
  readonly list: DamageList;
  readonly clock: Clock;
  readonly onFile?: (done: number) => void;
}

/**
 * Reads every archived file and lists the damaged ones. Rejects if the archive cannot be read at all: then the state of
 * its files is unknown.
 */
export async function verifyArchive({
  catalog,
  place,
  list,
  clock,
  onFile = () => undefined,
}: VerifyOptions): Promise<Verified> {
  const listed = new Map((await readManifest(place)).map((file) => [file.key, file]));
  const damages: ArchiveDamage[] = [];
  let [files, bytes] = [0, 0];
  for await (const file of catalog.files()) {
    if (listed.size === 0) throw new ArchiveError('the archive has no manifest.json; is it the right one?');
    const problem = await problemOf(place, file, listed);
    if (problem !== undefined) damages.push({ key: file.key, problem, foundAtMs: clock.now() });
    files += 1;
    bytes += file.bytes;
    onFile(files);
  }
  await list.replace(damages);
  return { files, bytes, damages };
}

async function problemOf(
  place: ArchivePlace,
  file: ArchiveFile,
  listed: ReadonlyMap<string, ArchiveFile>,
): Promise<string | undefined> {
  if (listed.get(file.key)?.sha256 !== file.sha256) return 'manifest.json does not list it';
  try {
    await checkBytes(file.key, place.stream(file.key), file);
    return undefined;
  } catch (error) {
    if (error instanceof DamagedFileError || error instanceof MissingFileError) return error.message;
    throw error;
  }
}
