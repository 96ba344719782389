import { type ArchiveFile, dateInKey } from '../../features/archive/archive-catalog.ts';
import { isTape } from '../../features/archive/archive-reader.ts';
import { DamageList } from '../../features/archive/damage-list.ts';
import { datesToSeal } from '../../features/archive/days-to-seal.ts';
import { MarketTable } from '../../features/market-tape/market-table.ts';
import { TickTable } from '../../features/tape/tick-table.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { symbolOf, venueOf } from '../../store/market-key.ts';
import type { Terminal } from '../command.ts';
import { printTable } from '../print-table.ts';
import { type ArchivedRecord, printSize, VENUE, withRecord } from './open-record.ts';

interface DayRow {
  readonly date: string;
  markets: number;
  complete: number;
  trades: number;
  files: number;
  bytes: number;
}

export async function showArchive(args: readonly string[], terminal: Terminal): Promise<number> {
  return withRecord(args, terminal, { switches: ['json'] }, async (record) => {
    const days = await daysOf(record);
    const waiting = await waitingDays(record);
    const damaged = [...(await new DamageList(record.folder).all()).values()];
    const { archive } = record.address;
    if (record.switches.has('json')) {
      terminal.out(JSON.stringify({ archive, days, waiting, damaged }));
      return 0;
    }
    const head = ['day', 'markets', 'complete', 'trades', 'files', 'size'];
    const cells = days.map(({ date, markets, complete, trades, files, bytes }) => [
      date,
      ...[markets, complete, trades, files].map(String),
      printSize(bytes),
    ]);
    if (days.length > 0) terminal.out(printTable([head, ...cells], new Set([1, 2, 3, 4, 5])));
    const bytes = days.reduce((sum, day) => sum + day.bytes, 0);
    terminal.out(`${archive}: ${days.length} days, ${printSize(bytes)}`);
    if (waiting.length > 0) terminal.out(`in the store, to be archived: ${waiting.join(', ')}`);
    for (const { key, problem } of damaged) terminal.out(`damaged ${key}: ${problem}`);
    return 0;
  });
}

async function daysOf({ catalog }: ArchivedRecord): Promise<readonly DayRow[]> {
  const days = new Map<string, DayRow>();
  for await (const file of catalog.files()) addFile(days, file);
  return [...days.values()].toSorted((a, b) => (a.date < b.date ? -1 : 1));
}

function addFile(days: Map<string, DayRow>, file: ArchiveFile): void {
  const date = dateInKey(file);
  const day = days.get(date) ?? { date, markets: 0, complete: 0, trades: 0, files: 0, bytes: 0 };
  days.set(date, day);
  day.files += 1;
  day.bytes += file.bytes;
  if (!isTape(file.key)) return;
  day.markets += 1;
  day.trades += file.rows;
  if (file.complete) day.complete += 1;
}

async function waitingDays({ store, catalog }: ArchivedRecord): Promise<readonly string[]> {
  const coins = (await new TickTable(store).coins()).map((symbol) => ({ venue: VENUE, symbol }));
  const others = (await new MarketTable(store).all()).map(({ id }) => ({
    venue: venueOf(id),
    symbol: symbolOf(id),
  }));
  const dates = new Set<string>();
  for (const market of [...coins, ...others])
    for (const date of await datesToSeal(store, market, catalog, systemClock.now())) dates.add(date);
  return [...dates].toSorted();
}
