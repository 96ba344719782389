import { existsSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DAY_MS, HOUR_MS, ManualClock, MINUTE_MS, type Random, seededRandom } from '@crosstape/core';
import { MarketVenue } from '../../../ingest/testing/market-venue.ts';
import type { Log } from '../../../platform/log.ts';
import { STORE_FILE, type LmdbStore } from '../../../store/lmdb-store.ts';
import { openLmdb } from '../../../store/open-lmdb.ts';
import { TickTable } from '../tick-table.ts';
import { compareTape, type TapeComparison } from './compare-tape.ts';
import { MonthMarket } from './month-market.ts';
import { explains, type MonthFault, shuffledFaults } from './month-faults.ts';
import { type RecordingProcess, startRecordingProcess } from './recording-process.ts';

/** Sockets, recorder and store run after each step. */
const STEP_MS = 5_000;
/** How often the venue's list of coins is requested. */
const LIST_EVERY_MS = MINUTE_MS;
/** Time without faults before the tape is compared: outages are noticed, reported and written by then. */
const SETTLE_MS = 5 * MINUTE_MS;
/** A log line is explained by a fault for this long after its end. */
const EXPLAINED_MS = 30 * MINUTE_MS;
/** Old chunks are removed every ten minutes, while the clock is known to be right. */
const PRUNED_WITHIN_MS = 6 * HOUR_MS;
const UNEXPLAINED_MAX = 20;
const MEMORY_DISK = '/dev/shm';

export interface MonthOptions {
  readonly startMs: number;
  readonly days: number;
  readonly seed: number;
  /** Folder of the store. */
  readonly folder: string;
  readonly retentionDays: number;
  /** On average. */
  readonly faultEveryMs: number;
  /** Shortens the faults, from 0 to 1. */
  readonly faultScale?: number;
  readonly listingMs: number;
  /** Compared, and measured, so often. */
  readonly checkEveryMs?: number;
  readonly onCheck?: (check: MonthCheck) => void;
}

export interface MonthCheck extends TapeComparison {
  readonly fromMs: number;
  readonly toMs: number;
  readonly heapMb: number;
  readonly descriptors: number;
  readonly storeMb: number;
}

export interface MonthReport {
  readonly checks: readonly MonthCheck[];
  /** Each fault, with its time. */
  readonly faults: readonly { readonly atMs: number; readonly kind: string }[];
  /** Warnings and errors that no fault explains. */
  readonly unexplained: readonly string[];
  /** Chunks that the retention should have removed. */
  readonly outdated: number;
}

/** A folder in memory if there is one: every commit is flushed, and half a million of them would wait for a disk. */
export function createMonthFolder(): string {
  const parent = existsSync(MEMORY_DISK) ? MEMORY_DISK : tmpdir();
  return mkdtempSync(join(parent, 'crosstape-month-'));
}

/** Weeks of recording under random faults in virtual time, compared with the market's own trades. */
export class SimulatedMonth {
  readonly venue: MarketVenue;
  readonly random: Random;
  process!: RecordingProcess;
  readonly #options: MonthOptions;
  readonly #market: MonthMarket;
  readonly #machine: ManualClock;
  readonly #faults: { readonly kind: string; readonly untilMs: number }[] = [];
  readonly #struck: { readonly atMs: number; readonly kind: string }[] = [];
  readonly #unexplained: string[] = [];
  /** Upcoming faults. */
  readonly #next: MonthFault[] = [];
  #store!: LmdbStore;
  #suspendedMs = 0;
  #wallAheadMs = 0;
  #madeToMs: number;
  #listedMs = 0;

  constructor(options: MonthOptions) {
    const { startMs, seed, listingMs } = options;
    this.#options = options;
    this.random = seededRandom(seed);
    this.#market = new MonthMarket(seed, listingMs);
    this.#machine = new ManualClock(startMs);
    this.#madeToMs = startMs;
    this.venue = new MarketVenue({ now: () => this.nowMs }, this.random);
  }

  /** The true time, which the venue has. */
  get nowMs(): number {
    return this.#machine.now() + this.#suspendedMs;
  }

  async run(): Promise<MonthReport> {
    const { startMs, days, faultEveryMs, checkEveryMs = DAY_MS, retentionDays } = this.#options;
    const checks: MonthCheck[] = [];
    const endMs = startMs + days * DAY_MS;
    let checkedMs = startMs;
    await this.start();
    await this.pass(SETTLE_MS);
    while (this.nowMs < endMs) {
      await this.#strike();
      await this.pass(-Math.log(1 - this.random()) * faultEveryMs);
      if (this.nowMs < Math.min(endMs, checkedMs + checkEveryMs)) continue;
      this.venue.calm();
      const toMs = this.nowMs;
      await this.pass(SETTLE_MS);
      const check = await this.#check(checkedMs, toMs);
      checks.push(check);
      this.#options.onCheck?.(check);
      checkedMs = toMs;
    }
    const beforeMs = this.nowMs - retentionDays * DAY_MS - PRUNED_WITHIN_MS;
    let outdated = 0;
    for (const coin of this.#market.coins)
      outdated += (await new TickTable(this.#store).names(coin, 0, beforeMs, Number.MAX_SAFE_INTEGER)).length;
    // Everything that the retention keeps is still there at the end.
    const keptFromMs = Math.max(startMs, this.nowMs - retentionDays * DAY_MS);
    checks.push(await this.#check(keptFromMs, checkedMs));
    await this.stop();
    return { checks, faults: this.#struck, unexplained: this.#unexplained, outdated };
  }

  async start(): Promise<void> {
    const { folder, retentionDays } = this.#options;
    this.#store = await openLmdb(folder);
    this.process = await startRecordingProcess({
      machine: this.#machine,
      wallMs: () => this.nowMs + this.#wallAheadMs,
      random: this.random,
      store: this.#store,
      log: this.#log(),
      connect: this.venue.connect,
      retentionDays,
      candleDays: retentionDays,
    });
    this.process.list(this.#market.listed(this.nowMs));
  }

  async stop(): Promise<void> {
    await this.process.stop();
    await this.#store.close();
  }

  /** Like `kill -9`. */
  async kill(): Promise<void> {
    this.process.kill();
    this.venue.cut(true);
    await this.process.store.settle();
    await this.#store.close();
  }

  setWallClock(aheadMs: number): void {
    this.#wallAheadMs = aheadMs;
  }

  /** The machine sleeps: its timers and its monotonic clock stop. */
  suspend(forMs: number): void {
    this.#suspendedMs += forMs;
    this.#makeTrades();
  }

  /** Lets time pass, with or without a process. */
  async pass(forMs: number): Promise<void> {
    const untilMs = this.#machine.now() + forMs;
    while (this.#machine.now() < untilMs) {
      this.#machine.advance(STEP_MS);
      this.#makeTrades();
      this.venue.tick();
      await new Promise((resolve) => setImmediate(resolve));
      await this.process.store.settle();
      if (this.nowMs - this.#listedMs < LIST_EVERY_MS) continue;
      this.#listedMs = this.nowMs;
      this.process.list(this.#market.listed(this.nowMs));
    }
  }

  async #strike(): Promise<void> {
    if (this.#next.length === 0)
      this.#next.push(...shuffledFaults(this.random, this.#options.faultScale ?? 1));
    const fault = this.#next.shift() as MonthFault;
    this.#struck.push({ atMs: this.nowMs, kind: fault.kind });
    const struck = { kind: fault.kind, untilMs: Number.POSITIVE_INFINITY };
    this.#faults.push(struck);
    const lastsMs = await fault.run(this);
    struck.untilMs = this.nowMs + lastsMs + EXPLAINED_MS;
  }

  /** Warnings and errors of one process, as long as it runs. */
  #log(): Log {
    const note = (fields: object, message: string): void => {
      const nowMs = this.nowMs;
      while (this.#faults[0] && this.#faults[0].untilMs < nowMs) this.#faults.shift();
      const line = `${message} ${JSON.stringify(fields)}`;
      const kinds = this.#faults.map(({ kind }) => kind);
      if (explains(line, kinds) || this.#unexplained.length >= UNEXPLAINED_MAX) return;
      this.#unexplained.push(`${new Date(nowMs).toISOString()} ${line}`);
    };
    return { debug: () => {}, info: () => {}, warn: note, error: note };
  }

  /** The venue has the trades of the next hour. */
  #makeTrades(): void {
    while (this.#madeToMs < this.nowMs + HOUR_MS) {
      this.venue.extend(this.#market.trades(this.#madeToMs, this.#madeToMs + HOUR_MS));
      this.#madeToMs += HOUR_MS;
    }
  }

  async #check(fromMs: number, toMs: number): Promise<MonthCheck> {
    collectGarbage();
    const measured = {
      heapMb: process.memoryUsage().heapUsed / 2 ** 20,
      descriptors: readdirSync('/proc/self/fd').length,
      storeMb: statSync(join(this.#options.folder, STORE_FILE)).size / 2 ** 20,
    };
    const trades = this.#market.trades(fromMs, toMs);
    return { fromMs, toMs, ...measured, ...(await compareTape(this.#store, trades, fromMs, toMs)) };
  }
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
