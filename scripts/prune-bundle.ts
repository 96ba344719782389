import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** Obsolete files that are kept, as a multiple of those of a build: at least those of this many builds. */
const BUILDS_KEPT = 2;

/**
 * Deletes files of earlier builds, but not those of the last few: a service that was started before this build still
 * loads some of them when they are first needed.
 */
export async function pruneBundle(folder: string, outputs: ReadonlySet<string>): Promise<void> {
  // A file that did not change was not written again, and is as new as this build all the same.
  const now = new Date();
  for (const path of outputs) await utimes(path, now, now);
  const obsolete: { readonly path: string; readonly builtMs: number }[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !outputs.has(path)) obsolete.push({ path, builtMs: (await stat(path)).mtimeMs });
  }
  const oldest = obsolete.toSorted((a, b) => b.builtMs - a.builtMs).slice(BUILDS_KEPT * outputs.size);
  for (const { path } of oldest) await rm(path);
}
