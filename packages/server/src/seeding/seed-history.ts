import type { Clock } from '@crosstape/core';
import type { JobRunner } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import { type Coin, createMarket } from '@crosstape/simulator';
import type { GapLedger } from '../store/gap-ledger.ts';
import type { PastMark } from '../store/past-mark.ts';
import type { TickShelf } from '../store/tick-shelf.ts';
import { seedFlowsTask } from './seed-flows.ts';
import { seedHistoriesTask } from './seed-histories.ts';
import { seedTicksTask } from './seed-ticks.ts';

const DAY_MS = 86_400_000;
/** Jobs among which the coins are shared out, so that every thread there is has something to do. */
const SHARES = 4;

export interface SeedHistoryOptions {
  readonly clock: Clock;
  readonly jobs: JobRunner;
  readonly log: Log;
  readonly ticks: TickShelf;
  readonly ledger: GapLedger;
  /** Of the simulated market. */
  readonly market: { readonly seed: number; readonly rate: number };
  readonly folder: string;
  readonly mark: PastMark;
  readonly venue: string;
  readonly days: number;
  readonly signal: AbortSignal;
}

/** The time over which a past was made: `fromMs <= t < toMs`. */
export interface SeededRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Gives a simulated market its past: the retention time up to now, recorded from the very market that is heard live.
 * The second, short pass is for the time that the first one took.
 */
export async function seedHistory(options: SeedHistoryOptions): Promise<SeededRange> {
  const { clock, jobs, log, ticks, ledger, market, folder, mark, venue, days, signal } = options;
  const startMs = clock.now();
  const fromMs = startMs - days * DAY_MS;
  const shares = shareCoins(createMarket(market).coins, SHARES);
  const pass = async (from: number, to: number): Promise<number> => {
    const order = { ...market, folder, venue, fromMs: from, toMs: to };
    const parts = shares.map((coins) => jobs.run(seedTicksTask, { ...order, coins }, { signal }));
    return (await allEnded(parts)).reduce((sum, { trades }) => sum + trades, 0);
  };
  log.info({ days }, 'the simulated market gets its history; trades wait until it has it');
  await mark.set();
  const histories = { ...market, folder, venue, fromMs, toMs: startMs };
  const seededTicks = pass(fromMs, startMs);
  await allEnded<unknown>([seededTicks, jobs.run(seedHistoriesTask, histories, { signal })]);
  const trades = await seededTicks;
  const toMs = clock.now();
  if (toMs > startMs) await pass(startMs, toMs);
  await ticks.commit([ledger.extending({ from: fromMs, to: toMs })]);
  await mark.remove();
  log.info({ trades, days, tookMs: clock.now() - startMs }, 'the simulated market has its history');
  return { fromMs, toMs: startMs };
}

/** Waits for all, also when one has failed: whoever begins anew must not meet what the others still write. */
async function allEnded<Result>(parts: readonly Promise<Result>[]): Promise<readonly Result[]> {
  await Promise.allSettled(parts);
  return Promise.all(parts);
}

export interface SeedFlowHistoryOptions
  extends Pick<SeedHistoryOptions, 'jobs' | 'market' | 'folder' | 'venue' | 'signal'> {
  /** Over which the trades are recorded. */
  readonly range: SeededRange;
  readonly coins: readonly string[];
}

/** Gives the followed coins the history of their flows, which is made from the recorded trades, among others. */
export async function seedFlowHistory(options: SeedFlowHistoryOptions): Promise<void> {
  const { jobs, market, folder, venue, range, coins, signal } = options;
  const order = { ...market, ...range, folder, venue };
  await Promise.all(coins.map((coin) => jobs.run(seedFlowsTask, { ...order, coin }, { signal })));
}

/** The coins that have a market, in parts of about the same number of trades. */
function shareCoins(coins: readonly Coin[], parts: number): readonly (readonly string[])[] {
  const shares = Array.from({ length: parts }, () => ({ names: [] as string[], trades: 0 }));
  const listed = coins.filter(({ isDelisted, dex }) => !isDelisted && dex === '');
  for (const { name, tradesPerWeek } of listed.toSorted((a, b) => b.tradesPerWeek - a.tradesPerWeek)) {
    const least = shares.reduce((best, share) => (share.trades < best.trades ? share : best));
    least.names.push(name);
    least.trades += tradesPerWeek;
  }
  return shares.map(({ names }) => names);
}
