import { sleep } from '@crosstape/core';
import { primaryVenue } from '@crosstape/venues';
import type { GapLedger } from '../features/tape/gap-ledger.ts';
import type { TickTable } from '../features/tape/tick-table.ts';
import { configuredPublishers } from './configured-publishers.ts';
import { isPrimaryOnly } from '../platform/market-choice.ts';
import { FirstRunHistory } from '../seeding/first-run-history.ts';
import { MarketHistory, type MarketHistoryOptions } from '../seeding/market-history.ts';
import { folderMark, type SharedPastMark } from '../seeding/unfinished-history.ts';
import { readRecordMarkets } from '../settings/record-markets.ts';
import { seedingTopic } from '../topics.ts';
import type { IngestDependencies } from './ingest.ts';

/** How often the first-run history is begun, and the time in between. */
const HISTORY_TRIES = 10;
const HISTORY_RETRY_MS = 3_000;

/** Fills an empty store with history, newest day first. */
type History = Pick<FirstRunHistory, 'seedRecent' | 'tapeOpened' | 'done' | 'stop'>;

/** The history of a simulated market without a record. */
export async function historyFor(
  { clock, bus, log, settings, folder, builds, turn, upstream: { market } }: IngestDependencies,
  tables: { ticks: TickTable; ledger: GapLedger; flowCoins: readonly string[] },
): Promise<History | undefined> {
  const days = settings.simHistoryDays;
  // A week of real size is 1.8 billion trades: recording starts with the service, as it does live.
  if (!market || market.size === 'real' || days === 0) return undefined;
  // Imported trades are kept: no history is created around them.
  const isNew = (await tables.ledger.lastSpan()) === undefined && (await tables.ticks.coins()).length === 0;
  if (!isNew) return undefined;
  const mark = turn?.pastMark ?? folderMark(folder);
  const parts = { clock, bus, log, market, folder, mark, venue: primaryVenue.id, days };
  return new FirstRunHistory({ ...parts, ...tables, jobs: builds });
}

/**
 * The same for one of several ingesters, which checks for a record when it becomes the leader. An unfinished history,
 * left by one that died or lost the server, is removed and created again.
 */
export function historyInTurn(
  dependencies: IngestDependencies,
  { pastMark }: { readonly pastMark: SharedPastMark },
  tables: Parameters<typeof historyFor>[1],
): History {
  const { clock, bus, log } = dependencies;
  let history: History | undefined;
  let markDone: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    markDone = resolve;
  });
  const seed = async (signal: AbortSignal): Promise<void> => {
    await pastMark.clearUnfinished();
    history = await historyFor(dependencies, tables);
    await history?.seedRecent(signal);
  };
  return {
    done,
    async seedRecent(signal) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await seed(signal);
        } catch (error) {
          signal.throwIfAborted();
          // With the mark still set, the next ingester would remove data recorded from now on.
          const clear = () => pastMark.clearUnfinished().then(() => true);
          if (tries >= HISTORY_TRIES && (await clear().catch(() => false))) throw error;
          log.warn({ err: error }, 'the first-run history is created again');
          await sleep(clock, HISTORY_RETRY_MS, signal);
        }
      }
    },
    tapeOpened(signal) {
      if (history) history.tapeOpened(signal);
      else bus.publish(seedingTopic, { isDone: true, progress: 1 });
      void (history?.done ?? Promise.resolve()).then(markDone);
    },
    stop: async () => history?.stop(),
  };
}

/** The history of secondary venues' markets: begun on a first run, continued where an earlier run has not finished it. */
export async function marketHistoryFor(
  dependencies: IngestDependencies,
  { isFirstRun, candles }: Pick<MarketHistoryOptions, 'candles'> & { readonly isFirstRun: boolean },
): Promise<MarketHistory | undefined> {
  const { settings, turn, upstream } = dependencies;
  const { market } = upstream;
  const { simHistoryDays: days, simMarketHistoryHours } = settings;
  const hours = Math.min(24 * days, simMarketHistoryHours);
  const choice = readRecordMarkets(settings.recordMarkets);
  // On Redis the record is memory: there, recording starts with the service.
  if (!market || market.size === 'real' || hours === 0 || turn) return undefined;
  if (!choice || isPrimaryOnly(choice)) return undefined;
  const publishers = configuredPublishers(settings)
    .filter(({ id, connector }) => connector?.marketTrades && id !== primaryVenue.id)
    .map(({ id }) => id);
  const options = { ...dependencies, market, candles, publishers };
  return isFirstRun ? MarketHistory.begin(options, hours) : MarketHistory.resume(options);
}
