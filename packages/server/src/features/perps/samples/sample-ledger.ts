import { DAY_MS, HOUR_MS, intervalStart, MINUTE_MS } from '@crosstape/core';
import type { SampleKind } from '@crosstape/venues';
import type { Log } from '../../../platform/log.ts';
import { nextTurn } from '../../../platform/next-turn.ts';
import { readRow } from '../../../store/bad-row.ts';
import { removeOlder } from '../../../store/pages.ts';
import type { Change, Entry, Key, Store, Table } from '../../../store/store.ts';
import type { HistorySample, HistoryTable } from '../history-table.ts';
import { decodeSamples, encodeSamples, type LedgerSample } from './sample-block.ts';

/** Blocks read at a time: more than a year of hours. */
const READ_BLOCKS = 64;
/** Series written in one commit, which blocks the thread for a few milliseconds. */
const SERIES_PER_COMMIT = 200;
/** Damaged blocks that are reported in the life of a process. */
const REPORTED_MAX = 100;

/** One row of the store is a block with the samples of `blockMs`: fewer than 256 times. */
interface SampleLevel {
  readonly table: string;
  readonly stepMs: number;
  readonly blockMs: number;
}

/** The intervals at which samples are kept. */
export const sampleLevels = {
  '10m': { table: 'samples-10m', stepMs: 10 * MINUTE_MS, blockMs: DAY_MS },
  '1h': { table: 'samples-1h', stepMs: HOUR_MS, blockMs: 7 * DAY_MS },
} as const satisfies Readonly<Record<string, SampleLevel>>;

export type SampleInterval = keyof typeof sampleLevels;

/** Ten-minute samples are kept for 30 days, hours for as long as candles are. */
export const TEN_MINUTES_DAYS = 30;

/** The open interest, the funding or a ratio of a coin on a venue. */
export interface Series {
  readonly kind: SampleKind;
  readonly venue: string;
  readonly coin: string;
}

/** The newest `limit` samples with `sinceMs <= t < endMs`. */
export interface SampleRange {
  readonly sinceMs: number;
  readonly endMs?: number;
  readonly limit?: number;
}

/** The value of a coin on a venue at one time. */
export interface SamplePoint extends Series, Omit<LedgerSample, 'origin'> {}

export function seriesKey({ kind, venue, coin }: Series): string {
  return `${kind}:${venue}:${coin}`;
}

/** How far the short histories have been copied to the ledger; a mark of an earlier release has no time. */
interface Mark {
  readonly isFolded: boolean;
  readonly to?: number;
}
const MARK_KEY: Key = ['histories'];

/** Samples by series, every ten minutes and every hour; of ratios every hour. The sample of an hour is that of its start. */
export class SampleLedger {
  readonly #store: Store;
  readonly #log: Pick<Log, 'error'>;
  readonly #tables: ReadonlyMap<SampleInterval, Table<Uint8Array>>;
  readonly #marks: Table<Mark>;
  readonly #reported = new Set<string>();
  #isFolded = false;
  /** In this life of the process or before. */
  #hasFolded = false;

  constructor(store: Store, log: Pick<Log, 'error'>) {
    this.#store = store;
    this.#log = log;
    this.#tables = new Map([
      ['10m', store.table(sampleLevels['10m'].table, 'binary')],
      ['1h', store.table(sampleLevels['1h'].table, 'binary')],
    ]);
    this.#marks = store.table<Mark>('samples-state', 'json');
  }

  /**
   * Copies samples of the short histories that the ledger lacks: seeded ones, or those recorded by a release without a
   * ledger.
   */
  async fold(histories: Pick<HistoryTable, 'all'>, primaryVenue: string): Promise<void> {
    const { to: fromMs = 0 } = (await this.#marks.get(MARK_KEY)) ?? {};
    let to = fromMs;
    for await (const samples of histories.all(fromMs, Number.MAX_SAFE_INTEGER)) {
      const points = await this.#missing(
        samples.flatMap((sample) => pointsOf(sample, primaryVenue)),
        fromMs,
      );
      if (points.length > 0) await this.record(points);
      to = Math.max(to, samples.at(-1)?.t ?? 0);
      await nextTurn();
    }
    await this.#store.commit([this.#marking(to)]);
    this.#isFolded = true;
  }

  /** Whether the shorter histories are in the ledger; they are not yet while a first start catches up. */
  async hasFolded(): Promise<boolean> {
    this.#hasFolded ||= (await this.#marks.get(MARK_KEY)) !== undefined;
    return this.#hasFolded;
  }

  /** Stores recorded samples and other changes; the first that is recorded for a time stays. */
  async record(points: readonly SamplePoint[], others: readonly Change[] = []): Promise<void> {
    const series = [...grouped(points, seriesKey)];
    // The mark stays until everything older is copied.
    const newest = this.#isFolded ? points.reduce((max, { t }) => Math.max(max, t), 0) : 0;
    const last = newest > 0 ? [this.#marking(newest), ...others] : others;
    do {
      const some = series.splice(0, SERIES_PER_COMMIT).map(([key, all]) => {
        const samples = all.map((one): LedgerSample => ({ ...one, origin: 'recorded' }));
        return { key, samples, hours: samples.filter(({ t }) => t % HOUR_MS === 0) };
      });
      const tens = some.flatMap(({ key, samples }) => blocksOf(key, '10m', samples));
      const hours = some.flatMap(({ key, hours: full }) => blocksOf(key, '1h', full));
      const changes = [this.#table('10m').appends(tens), this.#table('1h').appends(hours)];
      await this.#store.commit([...changes, ...(series.length === 0 ? last : [])]);
    } while (series.length > 0);
  }

  /** Stores hourly samples of the venue's own history; recorded ones take precedence. */
  async backfill(series: Series, samples: readonly LedgerSample[], others: readonly Change[]): Promise<void> {
    const blocks = blocksOf(seriesKey(series), '1h', samples);
    await this.#store.commit([this.#table('1h').appends(blocks), ...others]);
  }

  /**
   * Samples oldest first; a damaged block is a gap. Reads from the newest block back, and only as much as is returned.
   */
  async read(
    series: Series,
    interval: SampleInterval,
    { sinceMs, endMs = Number.MAX_SAFE_INTEGER, limit = Number.POSITIVE_INFINITY }: SampleRange,
  ): Promise<readonly LedgerSample[]> {
    const key = seriesKey(series);
    const from: Key = [key, intervalStart(sinceMs, sampleLevels[interval].blockMs)];
    const blocks: (readonly LedgerSample[])[] = [];
    let count = 0;
    for (let to: Key | undefined = [key, endMs]; to; ) {
      const rows: readonly Entry<Uint8Array>[] = await this.#table(interval).range({
        from,
        to,
        reverse: true,
        limit: READ_BLOCKS,
      });
      for (const row of rows) {
        if (count >= limit) break;
        const samples = this.#decoded(interval, row).filter(({ t }) => t >= sinceMs && t < endMs);
        blocks.push(samples);
        count += samples.length;
      }
      to = count < limit && rows.length === READ_BLOCKS ? rows.at(-1)?.key : undefined;
      if (to) await nextTurn();
    }
    return blocks.toReversed().flat().slice(-limit);
  }

  /** Removes blocks that end before the given times. */
  async prune(beforeMs: Readonly<Record<SampleInterval, number>>): Promise<void> {
    for (const [interval, table] of this.#tables)
      await removeOlder(this.#store, table, beforeMs[interval] - sampleLevels[interval].blockMs);
  }

  #decoded(interval: SampleInterval, { key, value }: Entry<Uint8Array>): readonly LedgerSample[] {
    try {
      return readRow(value, (bytes) => decodeSamples(key[1] as number, sampleLevels[interval].stepMs, bytes));
    } catch (error) {
      const name = `${interval} ${key.join(' ')}`;
      if (!this.#reported.has(name) && this.#reported.size < REPORTED_MAX) {
        this.#reported.add(name);
        this.#log.error(
          { err: error },
          'a block of recorded histories cannot be read; its samples are missing',
        );
      }
      return [];
    }
  }

  /** Points that are not in the ledger. */
  async #missing(points: readonly SamplePoint[], fromMs: number): Promise<readonly SamplePoint[]> {
    const missing: SamplePoint[] = [];
    for (const some of grouped(points, seriesKey).values()) {
      const held = await this.read(some[0] as SamplePoint, '10m', { sinceMs: fromMs });
      const times = new Set(held.map(({ t }) => t));
      missing.push(...some.filter(({ t }) => !times.has(t)));
    }
    return missing;
  }

  #marking(to: number): Change {
    return this.#marks.puts([{ key: MARK_KEY, value: { isFolded: true, to } }]);
  }

  #table(interval: SampleInterval): Table<Uint8Array> {
    return this.#tables.get(interval) as Table<Uint8Array>;
  }
}

/** The bytes that samples add to the blocks of a series. */
function blocksOf(
  series: string,
  interval: SampleInterval,
  samples: readonly LedgerSample[],
): readonly Entry<Uint8Array>[] {
  const { stepMs, blockMs } = sampleLevels[interval];
  return [...grouped(samples, ({ t }) => intervalStart(t, blockMs))].map(([startTs, added]) => ({
    key: [series, startTs],
    value: encodeSamples(startTs, stepMs, added),
  }));
}

function pointsOf(
  { coin, t, openInterest, funding }: HistorySample,
  primaryVenue: string,
): readonly SamplePoint[] {
  const rates = Object.entries(funding).map(
    ([venue, { rate, nativePeriodHours: periodHours }]): SamplePoint => ({
      kind: 'funding',
      venue,
      coin,
      t,
      value: rate,
      periodHours,
    }),
  );
  if (openInterest === undefined) return rates;
  return [
    { kind: 'openInterest', venue: primaryVenue, coin, t, value: openInterest, periodHours: 0 },
    ...rates,
  ];
}

function grouped<Row, By>(rows: readonly Row[], by: (row: Row) => By): ReadonlyMap<By, readonly Row[]> {
  const groups = new Map<By, Row[]>();
  for (const row of rows) {
    const group = groups.get(by(row));
    if (group) group.push(row);
    else groups.set(by(row), [row]);
  }
  return groups;
}
