import type { Clock, Print } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import { Failure } from '../../platform/errors.ts';
import type { JobRunner } from '../../platform/jobs.ts';
import type { StoredMarket } from '../market-tape/market-table.ts';
import { WHALE_FLOOR_USD, type WhaleQuery, type WhaleTable } from './whale-table.ts';
import { marketKey } from '../../store/market-key.ts';
import { printTopic, type VenuePrint, venuePrintTopic } from '../../topics.ts';
import { findWhalesTask } from './whales-on-tape.ts';

/** A caller waits no longer for the tape to be searched. */
const SEARCH_MAX_MS = 3_000;
/** Tapes that are searched at a time for one request: more would fill the shared job queue. */
const SEARCHES_MAX = 4;
const RETRY_AFTER_SECONDS = 5;

export interface WhaleAnswer {
  /** Newest first. */
  readonly prints: readonly Print[];
  /** Prints older than this were not recorded, or are no longer kept. */
  readonly recordedSinceMs: number;
}

/** `caller` is for whom the tape is searched: callers with searches that wait take turns. Default: the service itself. */
export interface WhaleReader {
  newest(query: WhaleQuery, caller?: string): Promise<WhaleAnswer>;
  /** Prints of another venue's market, newest first. They are searched on its tape, whatever their size. */
  ofMarket(market: StoredMarket, query: WhaleQuery, caller?: string): Promise<readonly Print[]>;
  /** Prints of all these markets of other venues, newest first. Below the stored size, every tape is searched. */
  ofMarkets(
    markets: readonly StoredMarket[],
    query: WhaleQuery,
    caller?: string,
  ): Promise<readonly VenuePrint[]>;
}

export interface WhaleReaderOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly table: WhaleTable;
  /** Prints of other venues. */
  readonly venueTable: WhaleTable<VenuePrint>;
  readonly jobs: JobRunner;
  /** Folder of the store, and the venue of its tape. */
  readonly folder: string;
  readonly venue: string;
  /** When the recording begins. */
  readonly recordedSinceMs: () => Promise<number>;
}

/**
 * Large prints come from the table, smaller ones from the tape, and the newest, which may not be written yet, from the
 * log. A print is identical in all three.
 */
export function createWhaleReader(options: WhaleReaderOptions): WhaleReader {
  const { clock, bus, table, venueTable, jobs, folder, venue, recordedSinceMs } = options;
  const log = bus.log(printTopic);
  const fromLog = ({ minUsd, coin, sinceMs = 0, limit }: WhaleQuery): Print[] => {
    const found: Print[] = [];
    const large = log.search({
      atLeast: { field: 'notionalUsd', value: minUsd },
      ...(coin !== undefined && { equals: { field: 'coin', value: coin } }),
    });
    let oldestTs = sinceMs;
    for (const { event, reachedTs } of large) {
      if (reachedTs < oldestTs) break;
      if (event.ts >= sinceMs) found.push(event);
      // Prints are published a little out of order: one before this may still be newer than some that were found.
      if (found.length === limit) oldestTs = Math.min(...found.map(({ ts }) => ts));
    }
    return newestFirst(found).slice(0, limit);
  };
  /** All searches of one request end together: when one fails, or when they take too long. */
  const searching = async <Found>(
    caller: string,
    search: (job: { readonly caller: string; readonly signal: AbortSignal }) => Promise<Found>,
  ): Promise<Found> => {
    const abort = new AbortController();
    const timer = clock.after(SEARCH_MAX_MS, () => abort.abort());
    try {
      return await search({ caller, signal: abort.signal });
    } catch (error) {
      if (!abort.signal.aborted) throw error;
      throw new Failure(
        'overloaded',
        'The search of the tape takes too long; request larger prints or one coin.',
        {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
          cause: error,
        },
      );
    } finally {
      timer.cancel();
      abort.abort();
    }
  };
  const fromTape = (
    query: WhaleQuery,
    recordedMs: number,
    job: { readonly caller: string; readonly signal: AbortSignal },
    market?: StoredMarket,
  ): Promise<readonly Print[]> => {
    const sinceMs = Math.max(query.sinceMs ?? 0, recordedMs);
    const search = { ...query, sinceMs, folder, venue, untilMs: clock.now(), ...(market && { market }) };
    return jobs.run(findWhalesTask, search, job);
  };
  const storedOf = async (query: WhaleQuery, caller: string): Promise<readonly VenuePrint[]> => {
    const { minUsd, coin, sinceMs = 0 } = query;
    // The newest may not be written yet.
    const recent = [...bus.log(venuePrintTopic).since(sinceMs)].filter(
      (print) =>
        print.notionalUsd >= minUsd &&
        (coin === undefined || print.coin === coin) &&
        print.market !== marketKey(venue, print.coin),
    );
    const stored = await venueTable.newest(query, caller);
    return [...new Map([...stored, ...recent].map((print) => [marketIdentity(print), print])).values()];
  };
  return {
    async ofMarkets(markets, query, caller = '') {
      if (query.minUsd >= WHALE_FLOOR_USD)
        return newestFirst(await storedOf(query, caller)).slice(0, query.limit);
      const left = markets.values();
      const found = await searching(caller, (job) => {
        const searchOneByOne = async (): Promise<readonly VenuePrint[]> => {
          const own: VenuePrint[] = [];
          for (const market of left) {
            const { id, grouping, recordingSince } = market;
            for (const print of await fromTape(query, recordingSince, job, market))
              own.push({ ...print, market: id, ...(grouping && { grouping }) });
          }
          return own;
        };
        return Promise.all(Array.from({ length: SEARCHES_MAX }, searchOneByOne));
      });
      return newestFirst(found.flat()).slice(0, query.limit);
    },
    ofMarket: (market, query, caller = '') =>
      searching(caller, (job) => fromTape(query, market.recordingSince, job, market)),
    async newest(query, caller = '') {
      const recordedMs = await recordedSinceMs();
      const recent = fromLog(query);
      // Every print of the last minutes is in the log, whatever its size.
      const isInLog = recent.length === query.limit && (recent.at(-1) as Print).ts >= log.completeFromTs;
      const recorded = isInLog
        ? []
        : await (query.minUsd < WHALE_FLOOR_USD
            ? searching(caller, (job) => fromTape(query, recordedMs, job))
            : table.newest(query, caller));
      const merged = new Map([...recorded, ...recent].map((print) => [identity(print), print]));
      const prints = newestFirst([...merged.values()]).slice(0, query.limit);
      return { prints, recordedSinceMs: recordedMs };
    },
  };
}

function identity({ coin, ts, tid }: Print): string {
  return `${coin}:${ts}:${tid}`;
}

function marketIdentity({ market, ts, tid }: VenuePrint): string {
  return `${market}:${ts}:${tid}`;
}

function newestFirst<Some extends Print>(prints: readonly Some[]): Some[] {
  return prints.toSorted((a, b) => b.ts - a.ts || b.tid - a.tid);
}
