import { join } from 'node:path';
import { columnsInCoins, firstTickAt, type TickColumns } from '@crosstape/core';
import { primaryVenue } from '@crosstape/venues';
import { archivedStore } from '../../features/archive/archived-store.ts';
import { recordedTicks } from '../../features/tape/recorded-ticks.ts';
import { createTapeReader } from '../../features/tape/tape-reader.ts';
import { indexCoins } from '../../features/markets/coins.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { readLine, UsageError } from '../../settings/read-settings.ts';
import { GapLedger } from '../../features/tape/gap-ledger.ts';
import type { StoredMarket } from '../../features/market-tape/market-table.ts';
import { marketKey, venueOf } from '../../store/market-key.ts';
import type { Store } from '../../store/store.ts';
import { openLmdb } from '../../store/open-lmdb.ts';
import { TickTable } from '../../features/tape/tick-table.ts';
import type { Terminal } from '../command.ts';
import { findDataset, datasetFlags } from './find-dataset.ts';
import { readTapeName, storedMarket } from './named-tape.ts';
import { startProgress } from './progress.ts';
import { readTime } from './read-time.ts';
import { recordedCoverage } from './recorded-coverage.ts';
import { fileSink, ReaderGone, streamSink } from './sink.ts';
import type { ExportedMarket } from './tick-file.ts';
import { chooseExport } from './tick-formats.ts';

const CHUNKS_MAX = 1_000_000;
const GAPS_PRINTED_MAX = 20;
/** A ledger written more recently than this belongs to a running service. */
const LEDGER_BEHIND_MS = 10_000;

export async function exportTicks(args: readonly string[], terminal: Terminal): Promise<number> {
  const { flags } = readLine(args, {
    names: [...datasetFlags, 'coin', 'market', 'from', 'to', 'format', 'out'],
  });
  const named = readTapeName(flags, '--coin or --market is missing: whose trades are to be exported?');
  const format = chooseExport(flags.format, flags.out);
  const fromTs = flags.from === undefined ? 0 : readTime('from', flags.from);
  const toTs = flags.to === undefined ? systemClock.now() + 1 : readTime('to', flags.to);
  if (fromTs >= toTs) throw new UsageError('--from must be before --to');
  if (flags.out === undefined && (terminal.stdout.isTTY || !format.isText)) {
    throw new UsageError('--out is missing: name a file, or send the text of csv and ndjson into a pipe');
  }
  const { data, tenant } = await findDataset({ flags, environment: terminal.environment });
  const store = await openLmdb(join(data, tenant), { isReadOnly: true });
  try {
    const archived = await archivedStore(store);
    const of = named.key
      ? marketTape(store, archived, await storedMarket(store, named.key, named.text))
      : await coinTape(store, archived, named.coin);
    const { table, name } = of;
    const sink = flags.out === undefined ? streamSink(terminal.stdout) : await fileSink(flags.out);
    const total = (await table.names(name, fromTs, toTs, CHUNKS_MAX)).reduce(
      (sum, { trades }) => sum + trades,
      0,
    );
    const progress = startProgress(terminal.stderr, `exporting ${of.label}`, total);
    const printer = format.print(sink, of.market);
    let trades = 0;
    try {
      const tape = createTapeReader({ table, bus: new LocalBus(systemClock) });
      for await (const { columns, ids } of recordedTicks(tape, name, fromTs, toTs)) {
        const from = firstTickAt(columns, fromTs);
        const to = firstTickAt(columns, toTs);
        await printer.add({ columns: of.inCoins(columns), ids }, from, to);
        trades += to - from;
        progress.at(trades);
      }
      await printer.finish();
      await sink.finish();
    } catch (error) {
      await sink.abandon();
      if (!(error instanceof ReaderGone)) throw error;
    } finally {
      progress.stop();
    }
    if (flags.out !== undefined) terminal.out(`${flags.out}: ${trades} trades of ${of.label}`);
    await printGaps(of, { fromTs, toTs }, terminal);
    return 0;
  } finally {
    await store.close();
  }
}

/** The tape that is exported. */
interface ExportedTape {
  readonly table: TickTable;
  readonly ledger: GapLedger;
  /** Its name on the tape: a coin, or the symbol of a market. */
  readonly name: string;
  /** For messages. */
  readonly label: string;
  readonly market: ExportedMarket;
  readonly inCoins: (columns: TickColumns) => TickColumns;
  /** When its recording began, if the ledger is that of a whole venue. */
  readonly sinceMs?: number;
}

async function coinTape(store: Store, archived: Store, text: string): Promise<ExportedTape> {
  const table = new TickTable(archived);
  const coins = await table.coins();
  const coin = indexCoins(coins).find(text);
  if (coin === undefined)
    throw new Error(`no recorded trades for ${text}; recorded: ${coins.join(', ') || 'none'}`);
  const market = { id: marketKey(primaryVenue.id, coin), coin, symbol: coin };
  const ledger = new GapLedger(store);
  return { table, ledger, name: coin, label: coin, market, inCoins: (columns) => columns };
}

/** Its trades are recorded in the venue's units, and exported in coins and the market's quote currency. */
function marketTape(store: Store, archived: Store, market: StoredMarket): ExportedTape {
  const { id, symbol: name, coin, recordingSince: sinceMs } = market;
  const prefix = venueOf(id);
  return {
    table: new TickTable(archived, prefix),
    ledger: new GapLedger(store, prefix),
    name,
    label: id,
    market: { id, coin, symbol: name },
    inCoins: (columns) => columnsInCoins(columns, market),
    sinceMs,
  };
}

/** The file format has no gaps, so they are reported separately. */
async function printGaps(
  { ledger, name, sinceMs = 0 }: ExportedTape,
  { fromTs, toTs }: { readonly fromTs: number; readonly toTs: number },
  terminal: Terminal,
): Promise<void> {
  const coverage = recordedCoverage(ledger);
  const sinceTs = Math.max(sinceMs, (await coverage.recordedSinceMs()) ?? toTs);
  // A running service updates the ledger within a second: later times are not gaps.
  const recordedTs = (await ledger.lastSpan())?.to ?? toTs;
  const isRunning = recordedTs > systemClock.now() - LEDGER_BEHIND_MS;
  const gaps = await coverage.gaps(
    name,
    Math.max(fromTs, sinceTs),
    isRunning ? Math.min(toTs, recordedTs) : toTs,
  );
  for (const { from, to, state, reason } of gaps.slice(0, GAPS_PRINTED_MAX)) {
    terminal.error(
      `${state} from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}: ${reason}`,
    );
  }
  if (gaps.length > GAPS_PRINTED_MAX)
    terminal.error(`and ${gaps.length - GAPS_PRINTED_MAX} more such stretches`);
}
