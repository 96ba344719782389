import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const HOURS = 24;

/** Where the days may lie below the given folder: as in the archive, as a node writes them, or at once. */
const places = ['node_fills_by_block/hourly', 'hourly', '.'];

/** The files of a day by hour, compressed or not. Rejects when there is none. */
export async function findHours(folder: string, dayMs: number): Promise<ReadonlyMap<number, string>> {
  const date = new Date(dayMs).toISOString().slice(0, 10);
  const day = date.replaceAll('-', '');
  const files = new Map<number, string>();
  for (let hour = 0; hour < HOURS; hour += 1) {
    const paths = places.flatMap((place) =>
      [`${hour}.lz4`, String(hour)].map((name) => join(folder, place, day, name)),
    );
    for (const path of paths) {
      const exists = await access(path).then(
        () => true,
        () => false,
      );
      if (!exists) continue;
      files.set(hour, path);
      break;
    }
  }
  if (files.size === 0)
    throw new Error(
      `there are no fills of ${date} in ${folder}: expected ${places[0]}/${day}/0.lz4 and so on`,
    );
  return files;
}

/** The starts of the days that have a folder, oldest first. */
export async function findDays(folder: string): Promise<readonly number[]> {
  const days = new Set<number>();
  for (const place of places) {
    const names = await readdir(join(folder, place)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
      throw error;
    });
    for (const name of names) {
      const [, year, month, date] = /^(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
      const dayMs = Date.parse(`${year}-${month}-${date}T00:00:00Z`);
      if (Number.isFinite(dayMs)) days.add(dayMs);
    }
  }
  return [...days].toSorted((a, b) => a - b);
}
