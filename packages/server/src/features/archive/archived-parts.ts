import { brotliDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { identityOf } from '../audit/repaired-table.ts';
import type { LakeFile } from '../lake/lake-folder.ts';
import { readLakeKey, symbolInPath } from '../lake/lake-key.ts';
import type { LakeMarket } from '../lake/lake-markets.ts';
import { type ArchivePlace, DamagedFileError, MissingFileError } from './archive-place.ts';
import { checkBytes } from './folder-place.ts';

/** An archived file of repaired trades. */
export type ArchivedPart = Pick<LakeFile, 'key' | 'bytes' | 'sha256'>;

/** The archived files of a market's day of repaired trades. */
export function partsOf(
  files: readonly LakeFile[],
  { venue, symbol }: Pick<LakeMarket, 'venue' | 'symbol'>,
  date: string,
): readonly LakeFile[] {
  const folder = `repaired_trades/venue=${venue}/symbol=${symbolInPath(symbol)}/date=${date}/`;
  return files.filter(({ key }) => key.startsWith(folder));
}

/** The number of the next file of a day: one that is listed is never written again. */
export function nextPart(parts: readonly Pick<LakeFile, 'key'>[]): number {
  return parts.reduce((next, { key }) => Math.max(next, (readLakeKey(key)?.part ?? 0) + 1), 0);
}

/** Which trades the files have. Rejects when one is not as it was sealed. */
export async function identitiesIn(
  place: ArchivePlace,
  parts: readonly ArchivedPart[],
): Promise<ReadonlySet<string>> {
  const identities = new Set<string>();
  for (const part of parts) {
    const rows = await parquetReadObjects({
      file: await bytesOf(place, part),
      columns: ['ts', 'tid'],
      compressors: { BROTLI: (bytes) => brotliDecompressSync(bytes) },
    });
    for (const { ts, tid } of rows) identities.add(identityOf({ ts: Number(ts), tid: Number(tid) }));
  }
  return identities;
}

async function bytesOf(place: ArchivePlace, part: ArchivedPart): Promise<ArrayBuffer> {
  try {
    const bytes = Uint8Array.from(await place.read(part.key, 0, part.bytes));
    await checkBytes(
      part.key,
      (async function* () {
        yield bytes;
      })(),
      part,
    );
    return bytes.buffer;
  } catch (error) {
    if (!(error instanceof DamagedFileError) && !(error instanceof MissingFileError)) throw error;
    // Only this day waits: one file does not mean that the archive is damaged.
    throw new Error(`${error.message}; crosstape archive verify lists it`, { cause: error });
  }
}
