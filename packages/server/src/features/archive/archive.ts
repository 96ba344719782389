import { join } from 'node:path';
import { type Clock, DAY_MS, type Timer } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import type { JobRunner } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import type { Change, Store } from '../../store/store.ts';
import { recorderHealthTopic } from '../../topics.ts';
import { isClockAhead } from '../tape/is-clock-ahead.ts';
import { isHistoryGrowing } from '../tape/is-history-growing.ts';
import { readLakeKey, startOfDate } from '../lake/lake-key.ts';
import type { LakeMarket } from '../lake/lake-markets.ts';
import {
  type ArchiveCatalog,
  type ArchiveFile,
  dateInKey,
  type SealedTape,
  tapeFolderOf,
  tapeKeyOf,
} from './archive-catalog.ts';
import { readManifest, writeManifest } from './archive-manifest.ts';
import { type ArchiveAddress, ArchiveError, type ArchivePlace } from './archive-place.ts';
import { partsOf } from './archived-parts.ts';
import type { DamageList } from './damage-list.ts';
import { checkBytes } from './folder-place.ts';
import { datesToSeal, isDayInStore } from './days-to-seal.ts';
import { type LateDay, LateRepairs } from './late-repairs.ts';
import { type DayPlan, planMarketDay, planRepairs, planVenueDay, type RepairedParts } from './plan-day.ts';
import { restoreCatalog } from './restore-catalog.ts';
import { sealDayTask } from './seal-day.ts';

/** Delay after the start, so that sealing does not slow it down. */
const FIRST_ROUND_MS = 2 * 60_000;
const ROUND_EVERY_MS = 10 * 60_000;
/** While trades of past days may still be written. */
const EARLY_RETRY_MS = 60_000;
const SCRATCH_FOLDER = 'sealing';

export interface ArchiveOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  /** Where files are made. */
  readonly jobs: JobRunner;
  readonly store: Store;
  /** The folder of the store. */
  readonly folder: string;
  readonly address: ArchiveAddress;
  readonly catalog: ArchiveCatalog;
  readonly place: ArchivePlace;
  /** Files that were found damaged. */
  readonly damages: DamageList;
  /** Every market with a record, read from the store alone. */
  readonly markets: () => Promise<readonly LakeMarket[]>;
  readonly primaryVenue: string;
  /** Put before the names of sources: `sim:` of a simulated market. */
  readonly prefix: string;
}

/** Progress of sealing. */
export interface ArchiveHealth {
  readonly status: 'ok' | 'failing';
  /** Days that are over and not in the archive yet; the store keeps them. */
  readonly waitingDays: number;
  /** The newest archived day. */
  readonly newestDay?: string;
  /** While failing: why, and since when. */
  readonly error?: string;
  readonly sinceMs?: number;
}

/** Result of a round. */
export interface SealRound {
  readonly sealed: readonly string[];
  readonly files: number;
}

/**
 * Seals days: makes their files, verifies them in the archive, lists them, and only then enters them into the
 * catalogue, a day at a time. A round that fails leaves its current day in the store, and the next round continues.
 */
export class Archive {
  readonly #options: ArchiveOptions;
  readonly #ending = new AbortController();
  #files: readonly ArchiveFile[] = [];
  /** Proven files of the day that a round could not finish, by the key of the first. */
  #proven = new Map<string, SealedPlan>();
  readonly #late: LateRepairs;
  /** Listed files that are being rewritten: their entries may not match. */
  readonly #rewritten = new Set<string>();
  #timer: Timer | undefined;
  #round: Promise<void> = Promise.resolve();
  #waitingDays = 0;
  #newestDay: string | undefined;
  #failure: { readonly error: string; readonly sinceMs: number } | undefined;

  /** Reads the catalogue. */
  static async open(options: ArchiveOptions): Promise<Archive> {
    const archive = new Archive(options);
    await archive.#readFiles();
    return archive;
  }

  private constructor(options: ArchiveOptions) {
    this.#options = options;
    this.#late = new LateRepairs(options.store);
  }

  /** Seals in the background from now on. */
  start(): void {
    this.#timer = this.#options.clock.after(FIRST_ROUND_MS, () => this.#startRound());
  }

  get health(): ArchiveHealth {
    const newestDay = this.#newestDay;
    return {
      status: this.#failure ? 'failing' : 'ok',
      waitingDays: this.#waitingDays,
      ...(newestDay !== undefined && { newestDay }),
      ...this.#failure,
    };
  }

  /** Every proven file, by key. */
  get files(): readonly ArchiveFile[] {
    return this.#files;
  }

  /** Whether a listed file may have other bytes than are listed, until its day is sealed again. */
  isRewritten(key: string): boolean {
    return this.#rewritten.has(key);
  }

  async stop(): Promise<void> {
    this.#ending.abort(new Error('the archive is closed'));
    this.#timer?.cancel();
    await this.#round;
  }

  /** Seals every past day that is not in the archive, oldest first. Rejects if one cannot be sealed. */
  async seal(): Promise<SealRound> {
    const { markets, store, catalog, clock, place } = this.#options;
    await this.#restore();
    const byDate = new Map<string, LakeMarket[]>();
    for (const market of await markets()) {
      for (const date of await datesToSeal(store, market, catalog, clock.now()))
        byDate.set(date, [...(byDate.get(date) ?? []), market]);
    }
    for (const [date, market] of await this.#daysToRepair()) {
      const own = byDate.get(date) ?? [];
      if (!own.includes(market)) byDate.set(date, [...own, market]);
    }
    const nowMs = clock.now();
    const repairs = new Map<string, LateDay[]>();
    for (const day of await this.#late.find(await markets(), nowMs)) {
      const { date, market } = day;
      const isWhole = byDate.get(date)?.some(({ id }) => id === market.id);
      if (!isWhole) repairs.set(date, [...(repairs.get(date) ?? []), day]);
    }
    if (byDate.size > 0 || repairs.size > 0) await this.#adoptParts();
    const dates = [...new Set([...byDate.keys(), ...repairs.keys()])].toSorted();
    this.#waitingDays = dates.length;
    const sealed: string[] = [];
    let files = 0;
    let failure: unknown;
    for (const date of dates) {
      try {
        const count = await this.#sealDate(date, byDate.get(date) ?? [], repairs.get(date) ?? []);
        if (count > 0) sealed.push(date);
        files += count;
        this.#waitingDays -= 1;
      } catch (error) {
        failure ??= error;
        // An error of one day need not affect the next, but an error of the archive does.
        if (error instanceof ArchiveError || this.#ending.signal.aborted) break;
      }
    }
    if (failure !== undefined) throw failure;
    this.#late.settle(nowMs);
    if (sealed.length > 0) await place.removeUnfinished?.();
    return { sealed, files };
  }

  /** Damaged files whose day can be made again, from the store or from its archived tape. */
  async #daysToRepair(): Promise<readonly (readonly [string, LakeMarket])[]> {
    const { damages, markets, catalog, store } = this.#options;
    const damaged = await damages.all();
    if (damaged.size === 0) return [];
    const all = await markets();
    const days: (readonly [string, LakeMarket])[] = [];
    for (const key of damaged.keys()) {
      const file = this.#files.find((one) => one.key === key);
      const market = all.find(({ id }) => id === file?.market);
      const date = file && dateInKey(file);
      if (!market || !date) continue;
      const tape = tapeFolderOf(market.id, date);
      const isTapeDamaged = [...damaged.keys()].some((one) => one.startsWith(tape));
      if (!isTapeDamaged || (await isDayInStore(store, market, catalog, date))) days.push([date, market]);
    }
    return days;
  }

  /** Reads the archive's list before the first one is written. */
  async #restore(): Promise<void> {
    const { store, catalog, place, address, log } = this.#options;
    if ((await catalog.address())?.isRestored) return;
    const { unreadable, ...restored } = await restoreCatalog(store, catalog, place);
    if (unreadable.length > 0)
      throw new ArchiveError(
        `${unreadable.length} listed files cannot be read, the first is ${unreadable[0]}`,
      );
    await catalog.setAddress({ ...address, isRestored: true });
    await this.#readFiles();
    if (restored.files > 0) log.info({ ...restored }, 'the days of the archive are known');
  }

  /** Seals complete days of markets, and late repairs of sealed ones. */
  async #sealDate(
    date: string,
    markets: readonly LakeMarket[],
    repaired: readonly LateDay[],
  ): Promise<number> {
    const { store, primaryVenue } = this.#options;
    const sealed: SealedPlan[] = [];
    for (const market of markets) {
      const plan = await planMarketDay(store, market, date, await this.#repairedParts(market, date));
      sealed.push(await this.#prove(plan));
    }
    for (const day of repaired) {
      const plan = await planRepairs(day, await this.#repairedParts(day.market, date));
      sealed.push(await this.#prove(plan));
    }
    const ofVenues = markets.length > 0 ? planVenueDay(date, primaryVenue) : [];
    for (const plan of ofVenues) sealed.push(await this.#prove(plan));
    const files = sealed.flatMap((one) => one.files);
    if (files.length > 0) await this.#enter(date, sealed, files);
    this.#proven.clear();
    for (const day of repaired) this.#late.note(day);
    return files.length;
  }

  /** Lists proven files of a day, and enters them into the catalogue. */
  async #enter(date: string, sealed: readonly SealedPlan[], files: readonly ArchiveFile[]): Promise<void> {
    const { catalog, place } = this.#options;
    const tapes = new Set(sealed.flatMap(({ tape }) => (tape ? [tapeFolderOf(tape.market, date)] : [])));
    const others = this.#files.filter(({ key }) => !tapes.has(key.slice(0, key.lastIndexOf('/') + 1)));
    const byKey = new Map([...others, ...files].map((file) => [file.key, file]));
    await writeManifest(place, [...byKey.values()]);
    const fromTs = startOfDate(date);
    const changes: Change[] = [];
    for (const { files: own, tape } of sealed) {
      if (tape) changes.push(...(await catalog.forgetting(tape.market, fromTs, fromTs + DAY_MS)));
      changes.push(...catalog.entering(own, tape));
    }
    await catalog.commit(changes);
    await this.#forgetDamages(files);
    await this.#readFiles();
    for (const { key } of files) this.#rewritten.delete(key);
    this.#options.log.info({ date, files: files.length }, 'sealed a day in the archive');
  }

  /** The archived parts of a market's day of repaired trades. */
  async #repairedParts(market: LakeMarket, date: string): Promise<RepairedParts> {
    const damages = await this.#options.damages.all();
    const parts = partsOf(this.#files, market, date);
    return {
      healthy: parts.filter(({ key }) => !damages.has(key)),
      damaged: parts.filter(({ key }) => damages.has(key)),
    };
  }

  /** Enters repaired trades that the manifest lists and the catalogue lacks: a process ended between the two. */
  async #adoptParts(): Promise<void> {
    const { catalog, place } = this.#options;
    const known = new Set(this.#files.map(({ key }) => key));
    const isLost = ({ key }: ArchiveFile): boolean =>
      !known.has(key) && readLakeKey(key)?.table === 'repaired_trades';
    const lost = (await readManifest(place)).filter(isLost);
    if (lost.length === 0) return;
    await catalog.commit(catalog.entering(lost));
    await this.#readFiles();
  }

  async #forgetDamages(proven: readonly ArchiveFile[]): Promise<void> {
    const { damages } = this.#options;
    const all = await damages.all();
    const keys = new Set(proven.map(({ key }) => key));
    const left = [...all.values()].filter(({ key }) => !keys.has(key));
    if (left.length < all.size) await damages.replace(left);
  }

  /** The files of a plan, proven in the archive; of a round that failed later, as they were proven then. */
  async #prove(plan: DayPlan): Promise<SealedPlan> {
    const { jobs, folder, address, clock, prefix } = this.#options;
    this.#ending.signal.throwIfAborted();
    const before = this.#proven.get(plan.name);
    if (before) return before;
    const listed = this.#files.filter(({ key }) => plan.files.some((file) => file.key === key));
    for (const { key } of listed) this.#rewritten.add(key);
    const made = await jobs
      .run(
        sealDayTask,
        {
          place: folder,
          address,
          scratch: join(folder, SCRATCH_FOLDER),
          ...(plan.tape && { tape: plan.tape }),
          files: plan.files.map(({ key, source, metadata, archived, rowsMin }) => ({
            key,
            source,
            ...(archived && { archived }),
            ...(rowsMin !== undefined && { rowsMin }),
            metadata: { source: `${prefix}${plan.venue}`, ...metadata },
          })),
        },
        { signal: this.#ending.signal },
      )
      .catch(async (error: unknown) => {
        for (const file of listed) if (await this.#isAsListed(file)) this.#rewritten.delete(file.key);
        throw error;
      });
    for (const [i, { key }] of plan.files.entries()) {
      const sha256 = made.files[i]?.sha256;
      const isSame = sha256 === undefined || listed.some((one) => one.key === key && one.sha256 === sha256);
      if (isSame) this.#rewritten.delete(key);
    }
    const madeAtMs = clock.now();
    const files: ArchiveFile[] = plan.files.flatMap(({ key, complete, named }, i) => {
      const file = made.files[i];
      if (!file) return [];
      const { isComplete, minTs = null, maxTs = null, ...figures } = file;
      return [
        { key, ...figures, minTs, maxTs, complete: complete ?? isComplete ?? false, ...named, madeAtMs },
      ];
    });
    if (!plan.tape || !made.tape) return this.#keep(plan.name, { files });
    const { rows, bytes, sha256, md5, chunks } = made.tape;
    const { facts, complete, named } = plan.tape;
    const key = tapeKeyOf(facts.market, facts.date, sha256);
    const times = { minTs: chunks[0]?.startTs ?? null, maxTs: chunks.at(-1)?.endTs ?? null };
    files.push({ key, rows, bytes, sha256, md5, ...times, complete, ...named, madeAtMs });
    return this.#keep(plan.name, { files, tape: { market: facts.market, sha256, chunks } });
  }

  async #isAsListed(file: ArchiveFile): Promise<boolean> {
    return checkBytes(file.key, this.#options.place.stream(file.key), file).then(
      () => true,
      () => false,
    );
  }

  #keep(name: string, proven: SealedPlan): SealedPlan {
    this.#proven.set(name, proven);
    return proven;
  }

  async #readFiles(): Promise<void> {
    const files: ArchiveFile[] = [];
    for await (const file of this.#options.catalog.files()) files.push(file);
    this.#files = files;
    this.#newestDay =
      files.map(dateInKey).reduce((newest, date) => (date > newest ? date : newest), '') || undefined;
  }

  /** Why no day can be sealed at the moment: trades of it may still be written. */
  #isEarly(): boolean {
    const { bus } = this.#options;
    // Archived trades are copied from this time on, so it must be known.
    if (isHistoryGrowing(bus, 'any') || isClockAhead(bus) !== false) return true;
    return bus.latest(recorderHealthTopic)?.message.status === 'failing';
  }

  #startRound(): void {
    const { clock, log } = this.#options;
    const isEarly = this.#isEarly();
    const work = async (): Promise<void> => {
      if (isEarly) return;
      await this.seal();
      this.#failure = undefined;
    };
    this.#round = work()
      .catch((error: unknown) => {
        if (this.#ending.signal.aborted) return;
        log.error({ err: error }, 'a day cannot be sealed in the archive; the store keeps it');
        const sinceMs = this.#failure?.sinceMs ?? clock.now();
        this.#failure = { error: error instanceof Error ? error.message : String(error), sinceMs };
      })
      .finally(() => {
        const waitMs = isEarly ? EARLY_RETRY_MS : ROUND_EVERY_MS;
        if (!this.#ending.signal.aborted) this.#timer = clock.after(waitMs, () => this.#startRound());
      });
  }
}

/** Files that are proven, and the tape of a market among them. */
interface SealedPlan {
  readonly files: readonly ArchiveFile[];
  readonly tape?: SealedTape;
}
