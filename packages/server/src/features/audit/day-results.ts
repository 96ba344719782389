import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@crosstape/core';
import { systemClock } from '../../platform/system-clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Reconciliation } from './reconcile.ts';

const FOLDER = 'audit';
const NAME = /^fills-(\d{4}-\d{2}-\d{2})\.json$/;
/** Days that are listed; older ones stay in the folder. */
const DAYS_MAX = 400;
/** Newest compared days that are searched for a score. */
const SCORED_MAX = 30;
/** Many answers have the score, and a day is compared once: the files are read this often. */
const SCORE_REUSE_MS = 60_000;

export interface DayResultsOptions {
  readonly clock?: Clock;
  /** Log for unreadable files; each is reported once. */
  readonly log?: Pick<Log, 'warn'>;
}

/** The compared days in a data folder: one file each, so that a command can add one beside a running service. */
export class DayResults {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Pick<Log, 'warn'> | undefined;
  /** Paths that could not be read. */
  readonly #reported = new Set<string>();
  #scored: { readonly atMs: number; readonly result: Promise<Reconciliation | undefined> } | undefined;

  /** `folder` is that of the record. */
  constructor(folder: string, { clock = systemClock, log }: DayResultsOptions = {}) {
    this.#folder = join(folder, FOLDER);
    this.#clock = clock;
    this.#log = log;
  }

  async write(result: Reconciliation): Promise<string> {
    await mkdir(this.#folder, { recursive: true });
    const path = join(this.#folder, `fills-${result.day}.json`);
    const file = await open(`${path}.tmp`, 'w');
    try {
      await file.writeFile(JSON.stringify(result));
      // Else a power cut may leave an empty file under the name.
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.tmp`, path);
    this.#scored = undefined;
    return path;
  }

  /** Newest day first. */
  async list(): Promise<readonly Reconciliation[]> {
    const results: Reconciliation[] = [];
    for (const day of (await this.#days()).slice(0, DAYS_MAX)) {
      const result = await this.read(day);
      if (result) results.push(result);
    }
    return results;
  }

  /** The newest day whose inferred liquidations have a score; read again after a minute. */
  newestScored(): Promise<Reconciliation | undefined> {
    const nowMs = this.#clock.now();
    if (!this.#scored || Math.abs(nowMs - this.#scored.atMs) >= SCORE_REUSE_MS)
      this.#scored = { atMs: nowMs, result: this.#readScored() };
    return this.#scored.result;
  }

  async #readScored(): Promise<Reconciliation | undefined> {
    for (const day of (await this.#days()).slice(0, SCORED_MAX)) {
      const result = await this.read(day);
      const { precision = null, recall = null } = result?.liquidations?.total ?? {};
      if (precision !== null && recall !== null) return result;
    }
    return undefined;
  }

  /** Newest first. */
  async #days(): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch((error: unknown) => this.#report(this.#folder, error));
    return (names ?? [])
      .flatMap((name) => NAME.exec(name)?.[1] ?? [])
      .toSorted()
      .toReversed();
  }

  /** `day` is `YYYY-MM-DD`. A file that is damaged or cannot be read is left out: the day can be compared again. */
  async read(day: string): Promise<Reconciliation | undefined> {
    const name = `fills-${day}.json`;
    if (!NAME.test(name)) return undefined;
    const path = join(this.#folder, name);
    try {
      const result = JSON.parse(await readFile(path, 'utf8')) as Reconciliation | null;
      if (result?.day !== day) throw new Error('It is not the result of this day.');
      this.#reported.delete(path);
      return result;
    } catch (error) {
      return this.#report(path, error);
    }
  }

  /** Logs once that a path cannot be read, unless it does not exist. */
  #report(path: string, error: unknown): undefined {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || this.#reported.has(path)) return;
    this.#reported.add(path);
    this.#log?.warn({ err: error, path }, 'a result of a compared day cannot be read');
  }
}
