import type { Readable } from 'node:stream';
import { type Clock, DAY_MS, type Timer } from '@crosstape/core';
import { FilePart } from '../../http/file-part.ts';
import type { Bus } from '../../platform/bus.ts';
import { CallerSlots } from '../../platform/caller-slots.ts';
import { Failure } from '../../platform/errors.ts';
import type { JobRunner } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import { recorderHealthTopic } from '../../topics.ts';
import { isClockAhead } from '../tape/is-clock-ahead.ts';
import { isHistoryGrowing } from '../tape/is-history-growing.ts';
import type { RepairedTable } from '../audit/repaired-table.ts';
import type { MarketReader } from '../market-tape/market-reader.ts';
import { type FilePlan, planMarketFile, planVenueFile, sampledVenues } from './file-orders.ts';
import { dateIn, type LakeFile, type LakeFolder, manifestOf } from './lake-folder.ts';
import {
  isSealedDate,
  type LakeName,
  lakeKeyOf,
  type MarketFileTable,
  marketTables,
  readLakeKey,
  sealedDates,
  startOfDate,
  symbolInPath,
  venueTables,
} from './lake-key.ts';
import { type LakeMarket, lakeMarkets } from './lake-markets.ts';
import { makeLakeFileTask } from './make-file.ts';
import { type MarketDay, MarketDays } from './market-days.ts';

/** Delay after the start before files are made in the background. */
const FIRST_ROUND_MS = 2 * 60_000;
const ROUND_EVERY_MS = 10 * 60_000;
/** Files made for callers at a time; more wait for a while. One caller has half of them. */
const demands = { slotsMax: 8, perCallerMax: 4, waitMs: 20_000, waitingPerCallerMax: 16 };
/** The background compares days for this long after their end; then only requests do. */
const COMPARE_MS = 2 * DAY_MS;
const RETRY_AFTER_SECONDS = 5;
/** A day that begins this close to where the record ends may lose its first trades while it is read. */
const EDGE_MS = 3_600_000;
/** Approximate bytes per trade in a file, to check free space. */
const TRADE_BYTES = 12;

export interface LakeOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  /** Where files are made. */
  readonly jobs: JobRunner;
  /** Location of the store. */
  readonly place: string;
  /** Where files are stored. */
  readonly folder: LakeFolder;
  readonly markets: MarketReader;
  /** Trades that the audit recovered. */
  readonly repairs: Pick<RepairedTable, 'identities'>;
  readonly primaryVenue: string;
  readonly retentionDays: number;
  /** Put before the names of sources: `sim:` of a simulated market. */
  readonly prefix: string;
  /** Makes the files of every day; the lake then makes only requested files that the archive does not have. */
  readonly archive?: LakeArchive | undefined;
}

export interface FoundFile {
  readonly file: LakeFile;
  /** Opens bytes `start <= i <= end`. */
  readonly open: (start: number, end: number) => Readable | FilePart;
}

/** Sealed days that are kept for good. */
export interface LakeArchive {
  /** By key. */
  readonly files: readonly LakeFile[];
  has(key: string): boolean;
  find(key: string): Promise<FoundFile | undefined>;
  /** When the oldest of them begins. */
  readonly sinceMs: number | undefined;
}

/**
 * Sealed days as Parquet files: made in the background, newest day and most traded market first, and on request. A file
 * of a market is made again when the trades, gaps or repaired trades of its day are not those that it was made of. The
 * oldest days are removed when space runs out.
 */
export class Lake {
  readonly #options: LakeOptions;
  readonly #folder: LakeFolder;
  readonly #making = new Map<string, Promise<LakeFile | undefined>>();
  readonly #days: MarketDays;
  /** Days that the background is done with. */
  readonly #doneDates = new Set<string>();
  readonly #demands: CallerSlots;
  readonly #ending = new AbortController();
  /** The files of the archive and of the folder together. */
  #joined: Readonly<Record<'archived' | 'made' | 'files', readonly LakeFile[]>> | undefined;
  #timer: Timer;
  #round: Promise<void> = Promise.resolve();

  constructor(options: LakeOptions) {
    this.#options = options;
    this.#folder = options.folder;
    this.#days = new MarketDays(options);
    this.#demands = new CallerSlots({ ...demands, clock: options.clock });
    this.#timer = options.clock.after(FIRST_ROUND_MS, () => this.#startRound());
    if (options.archive) this.#timer.cancel();
  }

  /** Existing files, by key. */
  get files(): readonly LakeFile[] {
    const { archive } = this.#options;
    if (!archive) return this.#folder.files;
    const made = this.#folder.files;
    if (this.#joined?.archived !== archive.files || this.#joined.made !== made) {
      const byKey = new Map([...made, ...archive.files].map((file) => [file.key, file]));
      const files = [...byKey.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
      this.#joined = { archived: archive.files, made, files };
    }
    return this.#joined.files;
  }

  /** Whether a file is kept for good. */
  isArchived(key: string): boolean {
    return this.#options.archive?.has(key) ?? false;
  }

  manifest(): string {
    return manifestOf(this.files);
  }

  /** The file of a key, made now if its day is sealed; `undefined` if there is none. Callers take turns. */
  async find(key: string, caller = ''): Promise<FoundFile | undefined> {
    const archived = await this.#options.archive?.find(key);
    if (archived) return archived;
    const file = await this.#current(key, caller);
    const path = this.#folder.pathOf(key);
    return (
      file && {
        file,
        open: (start, end) => new FilePart(path, start, end),
      }
    );
  }

  /** The file, made now if there is none or its day has changed. While it cannot be made, an older one is returned. */
  async #current(key: string, caller: string): Promise<LakeFile | undefined> {
    try {
      return (await this.#unchanged(key)) ?? (await this.#demand(key, caller)) ?? this.#folder.get(key);
    } catch (error) {
      const older = this.#folder.get(key);
      if (!older) throw error;
      this.#options.log.warn({ err: error, key }, 'a file cannot be made again; the older one is served');
      return older;
    }
  }

  /** A file of the folder, unless its day has changed since it was made. */
  async #unchanged(key: string): Promise<LakeFile | undefined> {
    const file = this.#folder.get(key);
    const name = readLakeKey(key);
    if (!file?.market || !name || !this.#isSealed(name.date)) return file;
    // It could not be made again.
    if (this.#obstacle(name.venue) !== undefined) return file;
    const version = await this.#days.recentVersion(file.market, name.date);
    return version === undefined || file.version === version ? file : undefined;
  }

  async #marketOf({ venue, symbol }: Pick<LakeName, 'venue' | 'symbol'>): Promise<LakeMarket | undefined> {
    const { markets, primaryVenue } = this.#options;
    const all = await lakeMarkets(markets, primaryVenue);
    return all.find((one) => one.venue === venue && symbolInPath(one.symbol) === symbol);
  }

  async stop(): Promise<void> {
    this.#ending.abort(new Error('the lake is closed'));
    this.#timer.cancel();
    await Promise.allSettled([this.#round, ...this.#making.values()]);
  }

  /** Since when days can be made: recorded from their beginning. */
  #sinceMs(nowMs: number): number {
    const { retentionDays, archive } = this.#options;
    const edgeMs = nowMs - retentionDays * DAY_MS + EDGE_MS;
    return Math.min(edgeMs, archive?.sinceMs ?? edgeMs);
  }

  #isSealed(date: string): boolean {
    const nowMs = this.#options.clock.now();
    return isSealedDate(date, nowMs, this.#sinceMs(nowMs));
  }

  /** Why no day of a venue, or of any, can be made at the moment: trades of it may still be written. */
  #obstacle(venue?: string): string | undefined {
    const { bus, primaryVenue } = this.#options;
    if (isHistoryGrowing(bus, venue === primaryVenue ? 'primary' : 'any'))
      return 'The first-run history is being created.';
    if (isClockAhead(bus)) return 'The clock of this machine is wrong.';
    const isFailing = bus.latest(recorderHealthTopic)?.message.status === 'failing';
    return isFailing ? 'The store cannot be written to.' : undefined;
  }

  async #demand(key: string, caller: string): Promise<LakeFile | undefined> {
    const name = readLakeKey(key);
    // Further parts are made by the archive alone.
    if (!name || name.part !== undefined || this.#folder.bytesMax === 0 || !this.#isSealed(name.date))
      return undefined;
    const flying = this.#making.get(key);
    if (flying) return flying;
    const obstacle = this.#obstacle(name.venue);
    if (obstacle !== undefined) throw laterFailure(obstacle);
    const end = await this.#demands.take(caller);
    if (!end) throw laterFailure('Too many files are being made at the moment.');
    try {
      // It may have been made for another caller meanwhile.
      return (
        (await this.#unchanged(key)) ??
        (await (this.#making.get(key) ?? this.#make(key, () => this.#plan(name))))
      );
    } finally {
      end();
    }
  }

  async #plan(name: LakeName): Promise<FilePlan | undefined> {
    const { primaryVenue } = this.#options;
    const { venue, date } = name;
    const table = venueTables.find((one) => one === name.table);
    if (table)
      return sampledVenues(table, primaryVenue).includes(venue)
        ? planVenueFile(table, venue, date, primaryVenue)
        : undefined;
    const market = await this.#marketOf(name);
    const own = marketTables.find((one) => one === name.table);
    return market && own && this.#planOf(own, market, date);
  }

  /** The day is read first: a file may have more than its version says, and is made again then, but never less. */
  async #planOf(table: MarketFileTable, market: LakeMarket, date: string): Promise<FilePlan | undefined> {
    const { version, repaired } = await this.#days.read(market, date);
    if (table === 'repaired_trades' && repaired === 0) return undefined;
    return { ...(await planMarketFile(table, market, date)), version };
  }

  /** Concurrent callers share one run. */
  #make(key: string, plan: () => Promise<FilePlan | undefined>): Promise<LakeFile | undefined> {
    const made = (async () => {
      const planned = await plan();
      return planned && this.#write(key, planned);
    })().finally(() => this.#making.delete(key));
    this.#making.set(key, made);
    return made;
  }

  async #write(
    key: string,
    { name, source, complete, market, version }: FilePlan,
  ): Promise<LakeFile | undefined> {
    const { jobs, place, prefix, clock } = this.#options;
    const path = await this.#folder.unfinished(key);
    const named = market && { market: market.id, coin: market.coin };
    const metadata = {
      source: `${prefix}${name.venue}`,
      date: name.date,
      ...(market && { ...named, quote: market.quote }),
    };
    try {
      const order = { path, place, metadata, source };
      const made = await jobs.run(makeLakeFileTask, order, { signal: this.#ending.signal });
      if (!made) {
        await this.#folder.discard(key);
        await this.#folder.remove(key);
        return undefined;
      }
      const { isComplete, minTs = null, maxTs = null, ...figures } = made;
      const file: LakeFile = {
        key,
        ...figures,
        minTs,
        maxTs,
        complete: complete ?? isComplete ?? false,
        ...named,
        madeAtMs: clock.now(),
        ...(version !== undefined && { version }),
      };
      await this.#folder.add(file);
      return file;
    } catch (error) {
      await this.#folder.discard(key);
      throw error;
    }
  }

  #startRound(): void {
    const { clock, log } = this.#options;
    this.#round = this.#makeAll()
      .catch((error: unknown) => {
        if (!this.#ending.signal.aborted) log.warn({ err: error }, 'files of the lake cannot be made');
      })
      .finally(() => {
        if (!this.#ending.signal.aborted) this.#timer = clock.after(ROUND_EVERY_MS, () => this.#startRound());
      });
  }

  async #makeAll(): Promise<void> {
    const { clock, primaryVenue } = this.#options;
    if (this.#obstacle() !== undefined) return;
    const nowMs = clock.now();
    const dates = sealedDates(nowMs, this.#sinceMs(nowMs));
    for (const date of dates.filter((one) => !this.#doneDates.has(one))) {
      for (const { market, trades, repaired } of await this.#marketDays(date)) {
        for (const table of marketTables) {
          // A market can be repaired on a day without recorded trades.
          if ((table === 'repaired_trades' ? repaired : trades) === 0) continue;
          const name = { table, venue: market.venue, symbol: symbolInPath(market.symbol), date };
          await this.#makeIfRoom(name, trades, () => this.#planOf(table, market, date));
        }
      }
      for (const table of venueTables) {
        for (const venue of sampledVenues(table, primaryVenue))
          await this.#makeIfRoom({ table, venue, date }, 0, async () =>
            planVenueFile(table, venue, date, primaryVenue),
          );
      }
      if (nowMs >= startOfDate(date) + DAY_MS + COMPARE_MS) this.#doneDates.add(date);
    }
  }

  /** A day of all markets, the most traded first. */
  async #marketDays(date: string): Promise<readonly MarketDay[]> {
    const days: MarketDay[] = [];
    for (const market of await lakeMarkets(this.#options.markets, this.#options.primaryVenue)) {
      // Its unsealed trades are decoded, which takes about a millisecond.
      await nextTurn();
      days.push(await this.#days.read(market, date));
    }
    return days.toSorted((a, b) => b.trades - a.trades);
  }

  async #makeIfRoom(
    name: LakeName,
    trades: number,
    plan: () => Promise<FilePlan | undefined>,
  ): Promise<void> {
    this.#ending.signal.throwIfAborted();
    const key = lakeKeyOf(name);
    if ((await this.#unchanged(key)) || this.#making.has(key)) return;
    const isFull = this.#folder.bytes + trades * TRADE_BYTES > this.#folder.bytesMax;
    const oldest = this.#folder.files.map(dateIn).toSorted()[0];
    // A newer day replaces an older one, never the other way round.
    if (isFull && (oldest === undefined || name.date <= oldest)) return;
    await this.#make(key, plan);
  }
}

function laterFailure(text: string): Failure {
  return new Failure('overloaded', text, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
