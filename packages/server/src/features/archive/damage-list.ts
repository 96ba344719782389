import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = 'archive-damage.json';
/** More are not listed: the archive is then lost as a whole. */
const DAMAGES_MAX = 10_000;

export interface ArchiveDamage {
  /** Key of the file in the archive. */
  readonly key: string;
  readonly problem: string;
  readonly foundAtMs: number;
}

/**
 * Archived files that `crosstape archive verify` found damaged, in a file beside the store: the command writes it while a
 * service runs, and the service reads it when it has changed.
 */
export class DamageList {
  readonly #path: string;
  #read: { readonly changedMs: number; readonly damages: ReadonlyMap<string, ArchiveDamage> } | undefined;

  constructor(folder: string) {
    this.#path = join(folder, FILE);
  }

  /** By key. */
  async all(): Promise<ReadonlyMap<string, ArchiveDamage>> {
    const changedMs = await stat(this.#path).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    if (changedMs === 0) return new Map();
    if (this.#read?.changedMs === changedMs) return this.#read.damages;
    const list = JSON.parse(await readFile(this.#path, 'utf8')) as readonly ArchiveDamage[];
    this.#read = { changedMs, damages: new Map(list.map((damage) => [damage.key, damage])) };
    return this.#read.damages;
  }

  async replace(damages: readonly ArchiveDamage[]): Promise<void> {
    await writeFile(`${this.#path}.new`, JSON.stringify(damages.slice(0, DAMAGES_MAX)));
    await rename(`${this.#path}.new`, this.#path);
    this.#read = undefined;
  }
}
