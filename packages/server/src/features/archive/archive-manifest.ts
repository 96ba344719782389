import { manifestOf } from '../lake/lake-folder.ts';
import { MANIFEST_KEY } from '../lake/lake-key.ts';
import { type ArchivePlace, DamagedFileError } from './archive-place.ts';
import type { ArchiveFile } from './archive-catalog.ts';

/** Replaces the list of files in the archive. */
export function writeManifest(place: ArchivePlace, files: readonly ArchiveFile[]): Promise<void> {
  return place.putText(MANIFEST_KEY, manifestOf(files.toSorted((a, b) => (a.key < b.key ? -1 : 1))));
}

/** The files that the archive lists; none if it is new. */
export async function readManifest(place: ArchivePlace): Promise<readonly ArchiveFile[]> {
  const text = await place.readText(MANIFEST_KEY);
  if (text === undefined) return [];
  try {
    const { files } = JSON.parse(text) as { readonly files: readonly ArchiveFile[] };
    return files.filter(({ key }) => typeof key === 'string' && !key.includes('..'));
  } catch (error) {
    throw new DamagedFileError(`${MANIFEST_KEY} cannot be read: ${(error as Error).message}`);
  }
}
