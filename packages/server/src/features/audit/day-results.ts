import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Reconciliation } from './reconcile.ts';

const FOLDER = 'audit';
const NAME = /^fills-(\d{4}-\d{2}-\d{2})\.json$/;
/** Days that are listed; older ones stay in the folder. */
const DAYS_MAX = 400;

/** The compared days in a data folder: one file each, so that a command can add one beside a running service. */
export class DayResults {
  readonly #folder: string;

  /** `folder` is that of the record. */
  constructor(folder: string) {
    this.#folder = join(folder, FOLDER);
  }

  async write(result: Reconciliation): Promise<string> {
    await mkdir(this.#folder, { recursive: true });
    const path = join(this.#folder, `fills-${result.day}.json`);
    await writeFile(`${path}.tmp`, JSON.stringify(result));
    await rename(`${path}.tmp`, path);
    return path;
  }

  /** Newest day first. */
  async list(): Promise<readonly Reconciliation[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const days = names
      .flatMap((name) => NAME.exec(name)?.[1] ?? [])
      .toSorted()
      .toReversed()
      .slice(0, DAYS_MAX);
    const results: Reconciliation[] = [];
    for (const day of days) {
      const result = await this.read(day);
      if (result) results.push(result);
    }
    return results;
  }

  /** `day` is `YYYY-MM-DD`. */
  async read(day: string): Promise<Reconciliation | undefined> {
    const name = `fills-${day}.json`;
    if (!NAME.test(name)) return undefined;
    try {
      return JSON.parse(await readFile(join(this.#folder, name), 'utf8')) as Reconciliation;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }
}
