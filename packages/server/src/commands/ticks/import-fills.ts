import { DAY_MS } from '@crosstape/core';
import { primaryVenue } from '@crosstape/venues';
import { ArchiveCatalog } from '../../features/archive/archive-catalog.ts';
import { readFills } from '../../features/audit/day-fills.ts';
import { findDays, findHours } from '../../ingest/fills/fill-folder.ts';
import { GapLedger } from '../../features/tape/gap-ledger.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { UsageError } from '../../settings/read-settings.ts';
import type { LmdbStore } from '../../store/lmdb-store.ts';
import type { Terminal } from '../command.ts';
import { importingHours } from './import-day.ts';
import { startProgress } from './progress.ts';
import { readTime } from './read-time.ts';
import { warnOfRetention } from './retention-warning.ts';

const HOURS = 24;

/** Imported hours of a day, by date: a repeated import continues after them. */
interface ImportedDayRow {
  readonly hours: readonly number[];
  readonly importedAtMs: number;
}

/** The days of a folder with published fills to import. */
export interface FillsToImport {
  readonly folder: string;
  /** `fromMs <= start of the day < toMs`. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether imported hours are imported again. */
  readonly again: boolean;
}

export function readFillsFlags(flags: Readonly<Record<string, string>>, again: boolean): FillsToImport {
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
    again,
  };
}

/** Imports days from before the record, oldest first: one commit per day, or per run of consecutive hours. */
export async function importFills(
  store: LmdbStore,
  { folder, fromMs, toMs, again }: FillsToImport,
  terminal: Terminal,
): Promise<void> {
  const days = (await findDays(folder)).filter((day) => day >= fromMs && day < toMs);
  const [first] = days;
  if (first === undefined)
    throw new Error(`there are no fills in ${folder}, or none between --from and --to`);
  await refuseOverlap(store, days);
  for (const dayMs of days) terminal.out(await importDay(store, { folder, dayMs, again }, terminal));
  if (await new ArchiveCatalog(store).address())
    terminal.out('the service seals these days in the archive; crosstape archive seal does it now');
  else warnOfRetention(first, terminal);
}

/** Imports the hours of a day that have a file and were not imported before; returns what to report. */
async function importDay(
  store: LmdbStore,
  { folder, dayMs, again }: Pick<FillsToImport, 'folder' | 'again'> & { readonly dayMs: number },
  { stderr }: Terminal,
): Promise<string> {
  const date = dateOf(dayMs);
  const rows = store.table<ImportedDayRow>('imported-days', 'json');
  const before = again ? undefined : await rows.get([date]);
  const done = [...(before?.hours ?? [])];
  const files = await findHours(folder, dayMs);
  const runs = consecutive([...files.keys()].filter((hour) => !done.includes(hour)));
  if (runs.length === 0) return `${date}: imported before; --again imports what is no longer stored`;
  const coins = new Set<string>();
  const refusals: string[] = [];
  let [trades, refused] = [0, 0];
  for (const hours of runs) {
    const progress = startProgress(stderr, `${date} `, HOURS);
    const paths = new Map(hours.map((hour) => [hour, files.get(hour) as string]));
    const fills = await readFills(paths, dayMs, progress.at).finally(() => progress.stop());
    const { changes, ...imported } = await importingHours(store, fills);
    done.push(...hours);
    const row = { hours: done, importedAtMs: systemClock.now() };
    await store.commit([...changes, rows.puts([{ key: [date], value: row }])]);
    for (const coin of imported.coins) coins.add(coin);
    trades += imported.trades;
    refused += fills.refused;
    if (fills.firstRefusal !== undefined) refusals.push(fills.firstRefusal);
  }
  const missing = HOURS - done.length;
  const notes = [
    ...(missing > 0 ? [`${missing} hours have no file`] : []),
    ...(refused > 0 ? [`${refused} lines could not be read: ${refusals[0]}`] : []),
  ];
  return [`${date}: ${trades} trades of ${coins.size} coins imported`, ...notes].join('; ');
}

/** Splits ascending hours into consecutive runs. */
function consecutive(hours: readonly number[]): readonly (readonly number[])[] {
  const runs: number[][] = [];
  for (const hour of hours) {
    const run = runs.at(-1);
    if (run?.at(-1) === hour - 1) run.push(hour);
    else runs.push([hour]);
  }
  return runs;
}

/** Refuses to import over recorded data. */
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
