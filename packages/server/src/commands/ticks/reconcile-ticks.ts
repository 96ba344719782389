import { join } from 'node:path';
import { DayResults } from '../../features/audit/day-results.ts';
import { type DayFills, readDayFills } from '../../features/audit/day-fills.ts';
import {
  CoinComparison,
  type CoinReconciliation,
  type Difference,
  LISTED_MAX,
  type Reconciliation,
  verdictOf,
} from '../../features/audit/reconcile.ts';
import { GapLedger } from '../../features/tape/gap-ledger.ts';
import type { TapeCoverage } from '../../features/tape/tape-coverage.ts';
import { createTapeReader, type TapeReader } from '../../features/tape/tape-reader.ts';
import { type Ticks, TickTable } from '../../features/tape/tick-table.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { readLine, UsageError } from '../../settings/read-settings.ts';
import { openLmdb } from '../../store/open-lmdb.ts';
import type { Terminal } from '../command.ts';
import { printTable } from '../print-table.ts';
import { datasetFlags, findDataset } from './find-dataset.ts';
import { startProgress } from './progress.ts';
import { readTime } from './read-time.ts';
import { recordedTicks } from '../../features/tape/recorded-ticks.ts';
import { recordedCoverage } from './recorded-coverage.ts';

const DAY_MS = 86_400_000;
const HOURS = 24;
/** The tape may hold a trade this much later than the venue's time, after an outage, and this much earlier. */
const LATE_MAX_MS = 6 * 3_600_000;
const EARLY_MAX_MS = 60_000;
/** Coins with differences that are printed. */
const PRINTED_MAX = 20;

/** Compares a recorded day with the fills that Hyperliquid publishes, and keeps the result for `/audit/fills`. */
export async function reconcileTicks(args: readonly string[], terminal: Terminal): Promise<number> {
  const { flags, switches } = readLine(args, {
    names: [...datasetFlags, 'day', 'fills'],
    switches: ['json'],
  });
  if (flags.day === undefined) throw new UsageError('--day is missing: which day, as 2026-11-15?');
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
    const result = await compareDay(fills, {
      coins: await table.coins(),
      tape: createTapeReader({ table, bus: new LocalBus(systemClock) }),
      coverage: recordedCoverage(new GapLedger(store)),
    });
    const path = await new DayResults(folder).write(result);
    terminal.out(switches.has('json') ? JSON.stringify(result) : report(result, fills, path));
    return result.verdict === 'differs' ? 1 : 0;
  } finally {
    await store.close();
  }
}

interface Record {
  readonly coins: readonly string[];
  readonly tape: TapeReader;
  readonly coverage: TapeCoverage;
}

async function compareDay(fills: DayFills, { coins, tape, coverage }: Record): Promise<Reconciliation> {
  const { dayMs, hours, refused } = fills;
  const endMs = dayMs + DAY_MS;
  const results: CoinReconciliation[] = [];
  const lists: { [kind in 'missing' | 'extra' | 'different']: Difference[] } = {
    missing: [],
    extra: [],
    different: [],
  };
  for (const coin of coins) {
    const columns = fills.coins.get(coin);
    const comparison = new CoinComparison(coin, columns, new Set(hours));
    for await (const ticks of recordedTicks(tape, coin, dayMs - EARLY_MAX_MS, endMs + LATE_MAX_MS))
      addTicks(comparison, ticks, dayMs);
    const stretches = await coverage.stretches(coin, dayMs, endMs);
    const isComplete = (ts: number): boolean =>
      stretches.some(
        ({ from, to, state }) => from <= ts && ts < to && (state === 'complete' || state === 'refilled'),
      );
    const { result, missing } = comparison.finish((ts) => !isComplete(ts));
    if (result.chain + result.tape === 0) continue;
    results.push(result);
    lists.missing.push(...missing);
    lists.extra.push(...comparison.extra);
    lists.different.push(...comparison.different);
  }
  const known = new Set(coins);
  const sum = (key: keyof Omit<CoinReconciliation, 'coin'>): number =>
    results.reduce((total, result) => total + result[key], 0);
  const found = {
    hoursMissing: Array.from({ length: HOURS }, (_, hour) => hour).filter((hour) => !hours.includes(hour)),
    refused,
    total: {
      chain: sum('chain'),
      tape: sum('tape'),
      matched: sum('matched'),
      missing: sum('missing'),
      missingReported: sum('missingReported'),
      extra: sum('extra'),
      different: sum('different'),
    },
  };
  return {
    day: new Date(dayMs).toISOString().slice(0, 10),
    comparedAtMs: systemClock.now(),
    verdict: verdictOf(found),
    ...found,
    coinsNotRecorded: [...fills.coins.keys()].filter((coin) => !known.has(coin)).length,
    coins: results,
    missing: lists.missing.slice(0, LISTED_MAX),
    extra: lists.extra.slice(0, LISTED_MAX),
    different: lists.different.slice(0, LISTED_MAX),
  };
}

/** Those of the day by the venue's time. */
function addTicks(comparison: CoinComparison, { columns, ids }: Ticks, dayMs: number): void {
  const priceScale = 10 ** columns.priceDecimals;
  const sizeScale = 10 ** columns.sizeDecimals;
  for (let i = 0; i < columns.length; i += 1) {
    const ts = (columns.ts[i] as number) - (ids.lateMs[i] as number);
    if (ts < dayMs || ts >= dayMs + DAY_MS) continue;
    comparison.add({
      ts,
      tid: ids.tid[i] as number,
      side: columns.isBuy[i] === 1 ? 'buy' : 'sell',
      price: (columns.price[i] as number) / priceScale,
      size: (columns.size[i] as number) / sizeScale,
    });
  }
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
    `${day}: ${verdict}; kept in ${path}`,
  ].join('\n');
}
