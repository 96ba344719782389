import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DataFolderError } from './data-folder.ts';
import { RESERVE_FILE } from './disk-room.ts';
import { LmdbFile } from './lmdb-file.ts';
import { decodeKey } from './lmdb-key.ts';
import { STORE_FILE } from './lmdb-store.ts';
import { BadPage, type Snapshot, type Tree } from './lmdb-pages.ts';

/** The file of a store is damaged. */
export class DamagedStoreError extends DataFolderError {
  override readonly name: string = 'DamagedStoreError';

  constructor(folder: string, problem: string) {
    super(
      `the store in ${folder} is damaged: ${problem}. Restore a backup of the folder, or copy what is readable with crosstape ticks salvage and start with --data on the copy`,
    );
  }
}

/** Checks what lmdb reads when it opens a file. A folder without one is a new store. */
export async function checkHead(folder: string): Promise<void> {
  await withFile(folder, () => Promise.resolve());
}

/**
 * Reads every index page, and checks that the rows lie inside the file, without lmdb. The content of rows is checked by
 * their readers. If another process may write, the caller holds a read transaction.
 */
export async function checkPages(folder: string): Promise<void> {
  await withFile(folder, async (file) => {
    const [newest, ...older] = file.snapshots;
    const problem = newest && (await firstProblem(file, newest));
    if (problem === undefined) return;
    // After a power loss, lmdb reverts to the last flushed commit.
    const flushed = newest?.isUnflushed ? older.find(({ isUnflushed }) => !isUnflushed) : undefined;
    if (flushed && (await firstProblem(file, flushed)) === undefined) return;
    throw new BadPage(problem);
  });
}

async function withFile(folder: string, check: (file: LmdbFile) => Promise<void>): Promise<void> {
  const path = join(folder, STORE_FILE);
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === undefined || (size === 0 && !(await hasCommitted(folder)))) return;
  try {
    const file = await LmdbFile.open(path);
    try {
      await check(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof BadPage) throw new DamagedStoreError(folder, `${STORE_FILE}: ${error.message}`);
    throw error;
  }
}

/** A process killed while it created the store leaves an empty file without commits. */
function hasCommitted(folder: string): Promise<boolean> {
  return access(join(folder, RESERVE_FILE)).then(
    () => true,
    () => false,
  );
}

async function firstProblem(file: LmdbFile, { free, main }: Snapshot): Promise<string | undefined> {
  const tables: { readonly name: string; readonly tree: Tree }[] = [];
  const problem =
    (await treeProblem(file, 'the list of free pages', free)) ??
    (await treeProblem(file, 'the list of tables', main, (key, tree) => {
      tables.push({ name: String(decodeKey(key)), tree });
    }));
  if (problem !== undefined) return problem;
  for (const { name, tree } of tables) {
    const ofTable = await treeProblem(file, `table ${name}`, tree);
    if (ofTable !== undefined) return ofTable;
  }
  return undefined;
}

async function treeProblem(
  file: LmdbFile,
  name: string,
  tree: Tree,
  onTree: (key: Uint8Array, tree: Tree) => void = () => undefined,
): Promise<string | undefined> {
  const problems: string[] = [];
  let entries = 0;
  for await (const { key, value } of file.rows(tree, (problem) => problems.push(problem.message))) {
    entries += 1;
    if (value.kind === 'tree') onTree(key, value.tree);
    if (problems.length > 0 || entries > tree.entries) break;
  }
  const [first] = problems;
  if (first !== undefined) return `${first} (${name})`;
  return entries === tree.entries ? undefined : `${name} has ${entries} rows, not ${tree.entries}`;
}
