import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HOUR_MS } from '@crosstape/core';

const HOURS = 24;

/** Where days may be below the given folder: as in the archive, as written by a node, or directly. */
const places = ['node_fills_by_block/hourly', 'hourly', '.'];

/** The files of a day by hour, compressed or not. Rejects if there are none. */
export async function findHours(folder: string, dayMs: number): Promise<ReadonlyMap<number, string>> {
  const files = new Map<number, string>();
  for (let hour = 0; hour < HOURS; hour += 1) {
    const path = await findHour(folder, dayMs + hour * HOUR_MS);
    if (path !== undefined) files.set(hour, path);
  }
  const date = new Date(dayMs).toISOString().slice(0, 10);
  if (files.size === 0)
    throw new Error(
      `there are no fills of ${date} in ${folder}: expected ${places[0]}/${dayName(dayMs)}/0.lz4 and so on`,
    );
  return files;
}

/** The file of an hour, compressed or not; `undefined` if there is none. */
export async function findHour(folder: string, hourMs: number): Promise<string | undefined> {
  const hour = (hourMs / HOUR_MS) % HOURS;
  for (const place of places) {
    for (const name of [`${hour}.lz4`, String(hour)]) {
      const path = join(folder, place, dayName(hourMs), name);
      const exists = await access(path).then(
        () => true,
        () => false,
      );
      if (exists) return path;
    }
  }
  return undefined;
}

/** `20261115` */
function dayName(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', '');
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
