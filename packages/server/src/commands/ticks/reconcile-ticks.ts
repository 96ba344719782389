import { join } from 'node:path';
import { DAY_MS } from '@crosstape/core';
import { compareDay, EARLY_MAX_MS, LATE_MAX_MS } from '../../features/audit/compare-day.ts';
import { DayResults } from '../../features/audit/day-results.ts';
import { type DayFills, readDayFills } from '../../features/audit/day-fills.ts';
import type { CoinReconciliation, Reconciliation } from '../../features/audit/reconcile.ts';
import type { InferredDay } from '../../features/audit/score-day.ts';
import { LIQUIDATIONS_KEEP_MS, LiquidationTable } from '../../features/liquidations/liquidation-table.ts';
import { GapLedger } from '../../features/tape/gap-ledger.ts';
import { createTapeReader } from '../../features/tape/tape-reader.ts';
import { TickTable } from '../../features/tape/tick-table.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { readLine, UsageError } from '../../settings/read-settings.ts';
import type { LmdbStore } from '../../store/lmdb-store.ts';
import { openLmdb } from '../../store/open-lmdb.ts';
import type { Terminal } from '../command.ts';
import { printTable } from '../print-table.ts';
import { datasetFlags, findDataset } from './find-dataset.ts';
import { startProgress } from './progress.ts';
import { readTime } from './read-time.ts';
import { recordedCoverage } from './recorded-coverage.ts';

const HOURS = 24;
/** Coins with differences that are printed. */
const PRINTED_MAX = 20;
/** The venue whose liquidations are inferred. */
const VENUE = 'hyperliquid';

/** Compares a recorded day with the fills that Hyperliquid publishes, and stores the result for `/audit/fills`. */
export async function reconcileTicks(args: readonly string[], terminal: Terminal): Promise<number> {
  const { flags, switches } = readLine(args, {
    names: [...datasetFlags, 'day', 'fills'],
    switches: ['json'],
  });
  if (flags.day === undefined) throw new UsageError('--day is required, for example 2026-11-15');
  if (flags.fills === undefined)
    throw new UsageError('--fills is missing: the folder with node_fills_by_block/hourly');
  const dayMs = readTime('day', flags.day);
  if (dayMs % DAY_MS !== 0)
    throw new UsageError(`--day must be a date, such as 2026-11-15, not ${flags.day}`);
  if (dayMs > systemClock.now()) throw new UsageError(`${flags.day} is in the future`);
  const { data, tenant } = await findDataset({ flags, environment: terminal.environment });
  const folder = join(data, tenant);
  const store = await openLmdb(folder, { isReadOnly: true });
  try {
    const progress = startProgress(terminal.stderr, 'reading fills', HOURS);
    const fills = await readDayFills(flags.fills, dayMs, progress.at).finally(() => progress.stop());
    const table = new TickTable(store);
    const inferred = await inferredOn(store, dayMs);
    const record = {
      coins: await table.coins(),
      tape: createTapeReader({ table, bus: new LocalBus(systemClock) }),
      coverage: recordedCoverage(new GapLedger(store)),
      ...(inferred && { inferred }),
    };
    const result = await compareDay(fills, record, systemClock.now());
    const path = await new DayResults(folder).write(result);
    terminal.out(switches.has('json') ? JSON.stringify(result) : report(result, fills, path));
    return result.verdict === 'differs' ? 1 : 0;
  } finally {
    await store.close();
  }
}

/** Absent if they are no longer kept, or never were. */
async function inferredOn(store: LmdbStore, dayMs: number): Promise<InferredDay | undefined> {
  if (dayMs < systemClock.now() - LIQUIDATIONS_KEEP_MS) return undefined;
  // Reading a table that does not exist would create it.
  if (!store.tableNames().includes('liquidations')) return undefined;
  const table = new LiquidationTable(store);
  const endMs = dayMs + DAY_MS;
  const spans = (await table.spans(dayMs)).filter(({ venue, from }) => venue === VENUE && from < endMs);
  if (spans.length === 0) return undefined;
  const byCoin = await table.inferred(dayMs - EARLY_MAX_MS, endMs + LATE_MAX_MS);
  return { spans, byCoin, measured: await table.measured(VENUE, dayMs, endMs) };
}

function report(result: Reconciliation, { firstRefusal }: DayFills, path: string): string {
  const { day, verdict, total, coins, hoursMissing, refused, coinsNotRecorded } = result;
  const head = ['coin', 'chain', 'tape', 'matched', 'missing', 'reported', 'extra', 'different'];
  const cells = (one: Omit<CoinReconciliation, 'coin'>): string[] =>
    [one.chain, one.tape, one.matched, one.missing, one.missingReported, one.extra, one.different].map(
      String,
    );
  const unequal = coins.filter((coin) => coin.matched !== coin.chain || coin.extra > 0);
  const shown = unequal.slice(0, PRINTED_MAX);
  return [
    printTable(
      [head, ...shown.map((one) => [one.coin, ...cells(one)]), ['all', ...cells(total)]],
      new Set([1, 2, 3, 4, 5, 6, 7]),
    ),
    ...(unequal.length > shown.length ? [`and ${unequal.length - shown.length} more coins that differ`] : []),
    ...(hoursMissing.length > 0 ? [`no fills of the hours ${hoursMissing.join(', ')}: not compared`] : []),
    ...(refused > 0 ? [`${refused} lines or fills could not be read: ${firstRefusal}`] : []),
    ...(coinsNotRecorded > 0 ? [`${coinsNotRecorded} coins of the chain are not recorded`] : []),
    inferenceLine(result),
    `${day}: ${verdict}; kept in ${path}`,
  ].join('\n');
}

function inferenceLine({ liquidations }: Reconciliation): string {
  if (!liquidations)
    return 'inferred liquidations: not scored, because the record has none of this day; they are kept for 30 days';
  const { inferred, marked, unwatched, precision, recall, notionalErrorPct } = liquidations.total;
  const percent = (share: number | null): string => (share === null ? '–' : `${(100 * share).toFixed(1)} %`);
  const error = notionalErrorPct === null ? '–' : `${notionalErrorPct.toFixed(1)} %`;
  const left = unwatched > 0 ? `; ${unwatched} more are not scored` : '';
  return `inferred liquidations: ${inferred}, ${marked} marked on the chain, precision ${percent(precision)}, recall ${percent(recall)}, notional error ${error}${left}`;
}
