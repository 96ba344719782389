import { access, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { readLine, UsageError } from '../../settings/read-settings.ts';
import { auditTicks } from '../../features/tape/audit-ticks.ts';
import { DamagedFile } from '../../store/damaged-file.ts';
import { checkPages } from '../../store/damaged-store.ts';
import { isUnfinished, markFinished, markUnfinished, openDataFolder } from '../../store/data-folder.ts';
import { lockFolder } from '../../store/folder-lock.ts';
import { LmdbFile } from '../../store/lmdb-file.ts';
import { LmdbStore, STORE_FILE } from '../../store/lmdb-store.ts';
import { keysFolder } from '../../features/keys/open-keys.ts';
import type { Terminal } from '../command.ts';
import { printTable } from '../print-table.ts';
import { findDataset, datasetFlags } from './find-dataset.ts';
import { startProgress } from './progress.ts';
import { copyTables } from './salvage/copy-tables.ts';
import { type SalvagedCoin, TapeSalvage } from './salvage/salvage-tape.ts';

const PERCENT = 100;

export async function salvageTicks(args: readonly string[], terminal: Terminal): Promise<number> {
  const { flags } = readLine(args, { names: [...datasetFlags, 'to'] });
  const { to } = flags;
  if (to === undefined) throw new UsageError('--to NEW_FOLDER is required');
  const { data, tenant } = await findDataset({ flags, environment: terminal.environment });
  const folder = join(data, tenant);
  const source = await lockFolder(folder, 'stop it before you salvage');
  try {
    if (await isUnfinished(folder))
      throw new Error(`the history in ${folder} is unfinished; start the service once to create it again`);
    const target = await openDataFolder(to, tenant);
    const lock = await lockFolder(target);
    try {
      if (await exists(join(target, STORE_FILE)))
        throw new UsageError(`${target} holds a record already: name a new folder with --to`);
      await markUnfinished(target);
      terminal.out(await salvage(folder, target, terminal));
      await markFinished(target);
    } finally {
      await lock.release();
    }
    terminal.out(await copyKeys(data, to));
  } finally {
    await source.release();
  }
  return 0;
}

async function salvage(folder: string, target: string, { stderr }: Terminal): Promise<string> {
  const file = await LmdbFile.openDamaged(join(folder, STORE_FILE));
  const store = new LmdbStore(target);
  const progress = startProgress(stderr, 'salvaging', PERCENT);
  try {
    const source = await DamagedFile.open(file);
    const coins = await new TapeSalvage({ source, store }).run((done, of) =>
      progress.at((done / of) * PERCENT),
    );
    const tables = await copyTables(source, store);
    progress.stop();
    const { damaged } = await auditTicks(store);
    if (damaged > 0) throw new Error(`${target} has ${damaged} damaged rows after the copy`);
    return report(target, coins, tables);
  } finally {
    progress.stop();
    await store.close();
    await file.close();
  }
}

function report(target: string, coins: readonly SalvagedCoin[], tables: ReadonlyMap<string, number>): string {
  const sum = (of: (coin: SalvagedCoin) => number): number => coins.reduce((all, coin) => all + of(coin), 0);
  const lost = coins.flatMap((coin) => coin.lost);
  return [
    printTable(
      [
        ['coin', 'chunks', 'trades', 'gaps'],
        ...coins.map((coin) => [coin.coin, ...[coin.chunks, coin.trades, coin.lost.length].map(String)]),
      ],
      new Set([1, 2, 3]),
    ),
    ...lost.map(
      ({ coin, from, to, state }) =>
        `${state} ${coin} from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`,
    ),
    ...[...tables].map(([name, rows]) => `${name}: ${rows} rows`),
    `${target}: ${coins.length} coins, ${sum(({ chunks }) => chunks)} chunks, ${sum(({ trades }) => trades)} trades; ${lost.length} gaps entered`,
  ].join('\n');
}

/** Keys are stored beside the record; without them the new data folder would have none. */
async function copyKeys(data: string, to: string): Promise<string> {
  const [source, target] = [keysFolder(data), keysFolder(to)];
  if (!(await exists(source))) return 'there are no keys to copy';
  if (await exists(target)) return `${target} already exists: keys are not copied`;
  try {
    await checkPages(source);
  } catch (error) {
    return `keys are not copied: ${(error as Error).message}`;
  }
  const isLocal = (path: string): boolean => !path.endsWith('lock.mdb');
  await cp(source, target, { recursive: true, filter: isLocal });
  return `keys copied to ${target}`;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
