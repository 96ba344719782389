import type { LmdbStore } from './lmdb-store.ts';
import { removeRange } from './pages.ts';

/** Rows removed at a time. A result may have tens of megabytes, and lmdb's list of free pages takes space itself. */
const oldTables = { results: 8, 'result-ages': 1_000 } as const;

/** Earlier versions stored results beside the tape for a day. Their pages are freed, and reused by the tape. */
export async function forgetOldResults(store: LmdbStore): Promise<void> {
  const names = store.tableNames();
  for (const [name, pageRows] of Object.entries(oldTables)) {
    if (!names.includes(name)) continue;
    const table = store.table(name, 'binary');
    await removeRange(store, table, { pageRows });
  }
}
