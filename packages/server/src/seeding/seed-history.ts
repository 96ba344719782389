import type { Clock } from '@crosstape/core';
import type { JobRunner } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import { markFinished, markUnfinished } from '../store/data-folder.ts';
import type { GapLedger } from '../store/gap-ledger.ts';
import type { TickShelf } from '../store/tick-shelf.ts';
import { seedTicksTask } from './seed-ticks.ts';

const DAY_MS = 86_400_000;

export interface SeedHistoryOptions {
  readonly clock: Clock;
  readonly jobs: JobRunner;
  readonly log: Log;
  readonly ticks: TickShelf;
  readonly ledger: GapLedger;
  /** Of the simulated market. */
  readonly market: { readonly seed: number; readonly rate: number };
  readonly folder: string;
  readonly venue: string;
  readonly days: number;
  readonly signal: AbortSignal;
}

/**
 * Gives a simulated market its past: the retention time up to now, recorded from the very market that is heard live.
 * The second, short pass is for the time that the first one took.
 */
export async function seedHistory(options: SeedHistoryOptions): Promise<void> {
  const { clock, jobs, log, ticks, ledger, market, folder, venue, days, signal } = options;
  const startMs = clock.now();
  const fromMs = startMs - days * DAY_MS;
  const pass = (from: number, to: number): Promise<{ readonly trades: number }> =>
    jobs.run(seedTicksTask, { ...market, folder, venue, fromMs: from, toMs: to }, { signal });
  log.info({ days }, 'the simulated market gets its history; trades wait until it has it');
  await markUnfinished(folder);
  const { trades } = await pass(fromMs, startMs);
  const toMs = clock.now();
  if (toMs > startMs) await pass(startMs, toMs);
  await ticks.commit([ledger.extending({ from: fromMs, to: toMs })]);
  await markFinished(folder);
  log.info({ trades, days, tookMs: clock.now() - startMs }, 'the simulated market has its history');
}
