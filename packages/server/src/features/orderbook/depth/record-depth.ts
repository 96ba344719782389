import { marketIdOf, MINUTE_MS, type RoundedBook } from '@crosstape/core';
import type { LatestTopic } from '../../../platform/bus.ts';
import { SampleRecorder } from '../../../platform/sample-recorder.ts';
import { sampleTimeOf } from '../../../platform/sample-time.ts';
import { rowAtMs, type Snapshot, snapshotTopic } from '../../../topics.ts';
import type { SamplingOptions } from '../../sampled-series.ts';
import { DepthTable, type MarketDepth } from './depth-table.ts';
import { joinBooks } from './join-books.ts';

export const DEPTH_DAYS = 30;

/** The minute of the newest order books that were written. */
export const depthTopic: LatestTopic<{ readonly t: number }> = {
  name: 'book-depth',
  keep: { kind: 'latest' },
};

export interface DepthRecorderOptions extends SamplingOptions {
  readonly venue: string;
  /** Figures of the books that are joined to one, finest first. */
  readonly figures: readonly number[];
}

interface Moment {
  /** The minute. */
  readonly t: number;
  /** The venue's time of the oldest of its books. */
  readonly venueTs: number;
}

/** The books of one contract that were fetched in one minute, finest first. */
interface BooksOfMinute extends Moment {
  readonly symbol: string;
  readonly books: readonly RoundedBook[];
}

/**
 * Records the order books that a venue's connector fetches every minute: one row for each market and minute, also after
 * a restart. A minute for which a book could not be fetched, or is the same as before, is missing.
 */
export function recordDepth(options: DepthRecorderOptions): { stop(): Promise<void> } {
  const { bus, store, log, venue, figures } = options;
  const recorder = new SampleRecorder<MarketDepth>({
    ...options,
    table: new DepthTable(store, log),
    topic: depthTopic,
    what: 'order books',
    retentionDays: DEPTH_DAYS,
  });
  /** The last one of each contract in the newest table. */
  let recorded = new Map<string, Moment>();
  const leave = bus.subscribe(snapshotTopic(venue, 'roundedBooks'), (snapshot) => {
    const symbols = new Set(snapshot.rows.map(({ symbol }) => symbol));
    recorded = new Map([...recorded].filter(([symbol]) => symbols.has(symbol)));
    for (const { symbol, t, venueTs, books } of booksOfMinutes(snapshot, figures)) {
      const last = recorded.get(symbol);
      if (last && (t === last.t || venueTs <= last.venueTs)) continue;
      const joined = joinBooks(t, books);
      if (!joined) continue;
      recorded.set(symbol, { t, venueTs });
      recorder.add({ market: marketIdOf({ venue, kind: 'perp', symbol }), ...joined });
    }
  });
  return {
    async stop() {
      leave();
      await recorder.stop();
    },
  };
}

/** Contracts with a book of each number of figures, all fetched in the same minute. */
function booksOfMinutes(
  snapshot: Snapshot<RoundedBook>,
  figures: readonly number[],
): readonly BooksOfMinute[] {
  const byKey = new Map(
    snapshot.rows.map((row, i) => [`${row.symbol} ${row.figures}`, { row, atMs: rowAtMs(snapshot, i) }]),
  );
  const symbols = new Set(snapshot.rows.map(({ symbol }) => symbol));
  return [...symbols].flatMap((symbol) => {
    const found = figures.flatMap((one) => byKey.get(`${symbol} ${one}`) ?? []);
    const [first] = found;
    const t = first && sampleTimeOf(first.atMs, MINUTE_MS);
    if (t === undefined || found.length < figures.length) return [];
    if (found.some(({ atMs }) => sampleTimeOf(atMs, MINUTE_MS) !== t)) return [];
    const books = found.map(({ row }) => row);
    return [{ symbol, t, venueTs: Math.min(...books.map(({ venueTs }) => venueTs)), books }];
  });
}
