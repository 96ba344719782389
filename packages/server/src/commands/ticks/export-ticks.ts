import { join } from 'node:path';
import { firstTickAt } from '@crosstape/core';
import { archivedStore } from '../../features/archive/archived-store.ts';
import { recordedTicks } from '../../features/tape/recorded-ticks.ts';
import { createTapeReader } from '../../features/tape/tape-reader.ts';
import { indexCoins } from '../../features/markets/coins.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { readLine, UsageError } from '../../settings/read-settings.ts';
import { GapLedger } from '../../features/tape/gap-ledger.ts';
import type { LmdbStore } from '../../store/lmdb-store.ts';
import { openLmdb } from '../../store/open-lmdb.ts';
import { TickTable } from '../../features/tape/tick-table.ts';
import type { Terminal } from '../command.ts';
import { findDataset, datasetFlags } from './find-dataset.ts';
import { startProgress } from './progress.ts';
import { readTime } from './read-time.ts';
import { recordedCoverage } from './recorded-coverage.ts';
import { fileSink, ReaderGone, streamSink } from './sink.ts';
import { chooseExport } from './tick-formats.ts';

const CHUNKS_MAX = 1_000_000;
const GAPS_PRINTED_MAX = 20;
/** A ledger that was written so recently belongs to a service that runs. */
const LEDGER_BEHIND_MS = 10_000;

export async function exportTicks(args: readonly string[], terminal: Terminal): Promise<number> {
  const { flags } = readLine(args, { names: [...datasetFlags, 'coin', 'from', 'to', 'format', 'out'] });
  if (flags.coin === undefined) throw new UsageError('--coin is missing: which coin is to be exported?');
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
    const table = new TickTable(await archivedStore(store));
    const coin = await recordedCoin(table, flags.coin);
    const sink = flags.out === undefined ? streamSink(terminal.stdout) : await fileSink(flags.out);
    const total = (await table.names(coin, fromTs, toTs, CHUNKS_MAX)).reduce(
      (sum, { trades }) => sum + trades,
      0,
    );
    const progress = startProgress(terminal.stderr, `exporting ${coin}`, total);
    const printer = format.print(sink, coin);
    let trades = 0;
    try {
      const tape = createTapeReader({ table, bus: new LocalBus(systemClock) });
      for await (const ticks of recordedTicks(tape, coin, fromTs, toTs)) {
        const from = firstTickAt(ticks.columns, fromTs);
        const to = firstTickAt(ticks.columns, toTs);
        await printer.add(ticks, from, to);
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
    if (flags.out !== undefined) terminal.out(`${flags.out}: ${trades} trades of ${coin}`);
    await printGaps(store, { coin, fromTs, toTs }, terminal);
    return 0;
  } finally {
    await store.close();
  }
}

async function recordedCoin(table: TickTable, text: string): Promise<string> {
  const coins = await table.coins();
  const coin = indexCoins(coins).find(text);
  if (coin === undefined) {
    throw new Error(`no trades of ${text} are recorded; there are some of ${coins.join(', ') || 'no coin'}`);
  }
  return coin;
}

interface ExportRange {
  readonly coin: string;
  readonly fromTs: number;
  readonly toTs: number;
}

/** A file cannot say where the tape has gaps, so they are reported beside it. */
async function printGaps(
  store: LmdbStore,
  { coin, fromTs, toTs }: ExportRange,
  terminal: Terminal,
): Promise<void> {
  const ledger = new GapLedger(store);
  const coverage = recordedCoverage(ledger);
  const sinceTs = (await coverage.recordedSinceMs()) ?? toTs;
  // A running service enters in the ledger within a second how far it has recorded: what comes later is no gap.
  const recordedTs = (await ledger.lastSpan())?.to ?? toTs;
  const isRunning = recordedTs > systemClock.now() - LEDGER_BEHIND_MS;
  const gaps = await coverage.gaps(
    coin,
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
