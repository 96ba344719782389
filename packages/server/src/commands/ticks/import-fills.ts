import { primaryVenue } from '@crosstape/venues';
import { ArchiveCatalog } from '../../features/archive/archive-catalog.ts';
import { readDayFills } from '../../features/audit/day-fills.ts';
import { findDays } from '../../features/audit/fill-folder.ts';
import { GapLedger } from '../../features/tape/gap-ledger.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { UsageError } from '../../settings/read-settings.ts';
import type { LmdbStore } from '../../store/lmdb-store.ts';
import type { Terminal } from '../command.ts';
import { importingDay } from './import-day.ts';
import { startProgress } from './progress.ts';
import { readTime } from './read-time.ts';
import { warnOfRetention } from './retention-warning.ts';

const DAY_MS = 86_400_000;
const HOURS = 24;

/** What was imported of a day, by its date: an import that is run again goes on after it. */
interface ImportedDayRow {
  readonly trades: number;
  readonly coins: number;
  readonly importedAtMs: number;
}

/** Which days of a folder with published fills are to be imported. */
export interface FillsToImport {
  readonly folder: string;
  /** `fromMs <= start of the day < toMs`. */
  readonly fromMs: number;
  readonly toMs: number;
}

export function readFillsFlags(flags: Readonly<Record<string, string>>): FillsToImport {
  if (flags['fills'] === undefined)
    throw new UsageError('--fills is missing: the folder with node_fills_by_block/hourly');
  if (flags['coin'] !== undefined)
    throw new UsageError('--coin cannot be used with --format hl-fills: all coins are imported');
  const edge = (name: 'from' | 'to', fallback: number): number => {
    const text = flags[name];
    if (text === undefined) return fallback;
    const ms = readTime(name, text);
    if (ms % DAY_MS !== 0)
      throw new UsageError(`--${name} must be a date with --format hl-fills, not ${text}`);
    return ms;
  };
  return {
    folder: flags['fills'],
    fromMs: edge('from', 0),
    toMs: edge('to', Number.MAX_SAFE_INTEGER),
  };
}

/** Imports days from before the record, one commit each, oldest first. */
export async function importFills(
  store: LmdbStore,
  { folder, fromMs, toMs }: FillsToImport,
  terminal: Terminal,
): Promise<void> {
  const days = (await findDays(folder)).filter((day) => day >= fromMs && day < toMs);
  const [first] = days;
  if (first === undefined)
    throw new Error(`there are no fills in ${folder}, or none between --from and --to`);
  await refuseOverlap(store, days);
  const done = store.table<ImportedDayRow>('imported-days', 'json');
  for (const dayMs of days) {
    const date = dateOf(dayMs);
    if (await done.get([date])) {
      terminal.out(`${date}: imported before`);
      continue;
    }
    const progress = startProgress(terminal.stderr, `${date} `, HOURS);
    const fills = await readDayFills(folder, dayMs, progress.at).finally(() => progress.stop());
    const { changes, trades, coins } = await importingDay(store, fills);
    const row = { trades, coins, importedAtMs: systemClock.now() };
    await store.commit([...changes, done.puts([{ key: [date], value: row }])]);
    const missing = HOURS - fills.hours.length;
    const notes = [
      ...(missing > 0 ? [`${missing} hours have no file`] : []),
      ...(fills.refused > 0 ? [`${fills.refused} lines could not be read: ${fills.firstRefusal}`] : []),
    ];
    terminal.out([`${date}: ${trades} trades of ${coins} coins imported`, ...notes].join('; '));
  }
  if (await new ArchiveCatalog(store).address())
    terminal.out('the service seals these days in the archive; crosstape archive seal does it now');
  else warnOfRetention(first, terminal);
}

/** Nothing is imported over what was recorded. */
async function refuseOverlap(store: LmdbStore, days: readonly number[]): Promise<void> {
  const sinceMs = await new GapLedger(store, primaryVenue.id).recordedSinceMs();
  const last = days.at(-1) ?? 0;
  if (last + DAY_MS > systemClock.now())
    throw new Error(`${dateOf(last)} is not over yet; choose earlier days with --to`);
  if (sinceMs === undefined || last + DAY_MS <= sinceMs) return;
  const overlapping = days.filter((day) => day + DAY_MS > sinceMs).map(dateOf);
  throw new Error(
    `${overlapping[0]} overlaps the record, which begins at ${new Date(sinceMs).toISOString()}; import only days before it, with --to ${dateOf(sinceMs)}`,
  );
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
