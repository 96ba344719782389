import { join } from 'node:path';
import { readLine } from '../../settings/read-settings.ts';
import { type Audit, auditTicks, type CoinAudit } from '../../features/tape/audit-ticks.ts';
import { isUnfinished } from '../../store/data-folder.ts';
import { ledgerTables } from '../../features/tape/gap-ledger.ts';
import { openLmdb } from '../../store/open-lmdb.ts';
import { TickTable, tickTables } from '../../features/tape/tick-table.ts';
import type { Terminal } from '../command.ts';
import { printTable } from '../print-table.ts';
import { findDataset, datasetFlags } from './find-dataset.ts';
import { startProgress } from './progress.ts';

const CHUNKS_MAX = 1_000_000;

export async function verifyTicks(args: readonly string[], terminal: Terminal): Promise<number> {
  const { flags, switches } = readLine(args, { names: datasetFlags, switches: ['json'] });
  const { data, tenant } = await findDataset({ flags, environment: terminal.environment });
  const folder = join(data, tenant);
  if (await isUnfinished(folder)) throw new Error(`${folder} is incomplete`);
  const store = await openLmdb(folder, { isReadOnly: true });
  try {
    // Opened before the read transaction, so that writes of a running service are not seen partially.
    for (const name of Object.values(tickTables)) store.table(name, 'binary');
    for (const name of Object.values(ledgerTables)) store.table(name, 'json');
    store.hold();
    const progress = startProgress(terminal.stderr, 'verifying', await countChunks(new TickTable(store)));
    let chunks = 0;
    const audit = await auditTicks(store, () => {
      chunks += 1;
      progress.at(chunks);
    }).finally(() => progress.stop());
    terminal.out(switches.has('json') ? JSON.stringify({ folder, ...audit }) : report(folder, audit));
    return audit.damaged === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}

async function countChunks(table: TickTable): Promise<number> {
  let chunks = 0;
  for (const coin of await table.coins())
    chunks += (await table.names(coin, 0, Number.MAX_SAFE_INTEGER, CHUNKS_MAX)).length;
  return chunks;
}

function report(folder: string, { coins, gaps, spans, damages, damaged }: Audit): string {
  const head = ['coin', 'chunks', 'trades', 'unsealed', 'bytes', 'from', 'to'];
  const sum = (of: (coin: CoinAudit) => number): number => coins.reduce((all, coin) => all + of(coin), 0);
  const total = sum(({ trades, tailTrades }) => trades + tailTrades);
  const verdict = damaged === 0 ? 'nothing is damaged' : `${damaged} damaged`;
  return [
    printTable([head, ...coins.map(cellsOf)], new Set([1, 2, 3, 4])),
    ...damages.map(({ part, key, problem }) => `damaged ${part} ${key.join(' ')}: ${problem}`),
    ...(damaged > damages.length ? [`and ${damaged - damages.length} more`] : []),
    `${folder}: ${coins.length} coins, ${sum(({ chunks }) => chunks)} chunks, ${total} trades, ${spans} spans, ${gaps} gaps; ${verdict}`,
  ].join('\n');
}

function cellsOf({ coin, chunks, trades, tailTrades, bytes, firstTs, lastTs }: CoinAudit): readonly string[] {
  return [coin, ...[chunks, trades, tailTrades, bytes].map(String), time(firstTs), time(lastTs)];
}

function time(ts: number | undefined): string {
  return ts === undefined ? '' : new Date(ts).toISOString();
}
