import type { DamagedFile, FoundRow, FoundTable } from '../../../store/damaged-file.ts';
import { type OldTable, oldTables } from '../../../store/migrate-tape.ts';
import { fitting } from './tape-rows.ts';

type Read = (row: FoundRow) => Promise<unknown>;

const nothing: FoundTable = { rows: [], breaks: new Set() };

/**
 * The rows of a table of the tape under current keys, including those of format version 1: a file may be damaged before
 * or during its migration. If the list of tables is lost, rows of version 1 are searched only if there are no current
 * ones.
 */
export async function tableOf(source: DamagedFile, name: string, read: Read): Promise<FoundTable> {
  const names = new Set(source.tableNames);
  const old = oldTables.find(({ now }) => now === name);
  const isKnown = names.has(name) || (old !== undefined && names.has(old.name));
  const now = isKnown && !names.has(name) ? nothing : await source.table(name, fitting(read));
  const isOldWanted = old !== undefined && (isKnown ? names.has(old.name) : now.rows.length === 0);
  // A migration follows key order: rows not yet migrated come after migrated ones.
  return isOldWanted ? joined(now, await oldRows(source, old, read)) : now;
}

async function oldRows(source: DamagedFile, { name, keyNow }: OldTable, read: Read): Promise<FoundTable> {
  const asNow = (row: FoundRow): FoundRow => ({ ...row, key: keyNow(row.key) });
  const { rows, breaks } = await source.table(name, async (row) => {
    const [first] = row.key;
    const isOld = !(typeof first === 'string' && first.includes(':')) && row.key.length > 0;
    return isOld && (await read(asNow(row))) !== undefined;
  });
  return { rows: rows.map(asNow), breaks };
}

function joined(a: FoundTable, b: FoundTable): FoundTable {
  if (a.rows.length === 0 && a.breaks.size === 0) return b;
  if (b.rows.length === 0 && b.breaks.size === 0) return a;
  const shifted = [...b.breaks].map((at) => at + a.rows.length);
  return { rows: [...a.rows, ...b.rows], breaks: new Set([...a.breaks, ...shifted]) };
}
