import type { DamagedFile } from '../../../store/damaged-file.ts';
import { ledgerTables } from '../../../features/tape/gap-ledger.ts';
import { oldTables } from '../../../store/migrate-tape.ts';
import type { Entry, Store } from '../../../store/store.ts';
import { tickTables } from '../../../features/tape/tick-table.ts';

/** Salvaged with the tape, or useless after a restart. */
const notCopied = new Set<string>([
  ...Object.values(tickTables),
  ...Object.values(ledgerTables),
  ...oldTables.map(({ name }) => name),
  'probe',
  'jobs',
  'results',
  'result-ages',
]);
const ROWS_PER_COMMIT = 500;

/** Copies the readable rows of all tables except the tape's; all are JSON. Returns the number of rows per table. */
export async function copyTables(source: DamagedFile, store: Store): Promise<ReadonlyMap<string, number>> {
  const copied = new Map<string, number>();
  for (const name of source.tableNames) {
    if (notCopied.has(name)) continue;
    const table = store.table(name, 'binary');
    const put: Entry<Uint8Array>[] = [];
    let rows = 0;
    for (const row of (await source.table(name)).rows) {
      const { key } = row;
      const value = await row.read();
      if (!isJson(value)) continue;
      put.push({ key, value });
      rows += 1;
      if (put.length >= ROWS_PER_COMMIT) await store.commit([table.puts(put.splice(0))]);
    }
    await store.commit([table.puts(put)]);
    copied.set(name, rows);
  }
  return copied;
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(bytes).toString());
    return true;
  } catch {
    return false;
  }
}
