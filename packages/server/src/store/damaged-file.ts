import type { LmdbFile } from './lmdb-file.ts';
import { decodeKey } from './lmdb-key.ts';
import type { BadPage, Row, Tree } from './lmdb-pages.ts';
import type { Key } from './store.ts';

/** A row recovered from a damaged file. Its bytes may be damaged as well. */
export interface FoundRow {
  readonly key: Key;
  /** Id of the commit that wrote its page; among several versions of a row, or conflicting rows, the highest wins. */
  readonly txnId: number;
  readonly read: () => Promise<Uint8Array>;
}

/** The recovered rows of a table, in key order. */
export interface FoundTable {
  readonly rows: readonly FoundRow[];
  /** Indices of rows before which others may be missing; the number of rows means the end of the table. */
  readonly breaks: ReadonlySet<number>;
}

/** Whether a row found outside any table belongs to a given table. */
export type Fits = (row: FoundRow) => Promise<boolean>;

interface Found {
  readonly keyBytes: Uint8Array;
  readonly row: FoundRow;
}

/** The tables of a damaged file. */
export class DamagedFile {
  readonly #file: LmdbFile;
  readonly #trees: ReadonlyMap<string, Tree>;

  static async open(file: LmdbFile): Promise<DamagedFile> {
    for (const { main } of file.snapshots) {
      const trees = new Map<string, Tree>();
      const problems: BadPage[] = [];
      for await (const { key, value } of file.rows(main, (problem) => void problems.push(problem)))
        if (value.kind === 'tree') trees.set(String(decodeKey(key)), value.tree);
      if (problems.length === 0) return new DamagedFile(file, trees);
    }
    return new DamagedFile(file, new Map());
  }

  private constructor(file: LmdbFile, trees: ReadonlyMap<string, Tree>) {
    this.#file = file;
    this.#trees = trees;
  }

  /** Empty if the list of tables is damaged. */
  get tableNames(): readonly string[] {
    return [...this.#trees.keys()];
  }

  /**
   * The rows of a table. If its tree is damaged, every page of the file is searched for more rows that match `fits`:
   * pages survive the loss of their index, and so do older versions.
   */
  async table(name: string, fits?: Fits): Promise<FoundTable> {
    const collected = new Collected();
    const tree = this.#trees.get(name);
    const isWhole = tree !== undefined && (await this.#walk(tree, collected));
    if (!isWhole && fits) await this.#scan(fits, collected);
    return collected.table(isWhole);
  }

  /** Returns whether the tree was complete. */
  async #walk(tree: Tree, collected: Collected): Promise<boolean> {
    let isWhole = true;
    const end = (): void => {
      isWhole = false;
      collected.endRun();
    };
    let last = new Uint8Array();
    for await (const row of this.#file.rows(tree, end)) {
      const found = this.#found(row, Number.POSITIVE_INFINITY);
      // Keys ascend: one that does not was overwritten.
      if (!found || Buffer.compare(found.keyBytes, last) <= 0) {
        end();
        continue;
      }
      last = Uint8Array.from(found.keyBytes);
      collected.add(found);
    }
    collected.endRun();
    return isWhole;
  }

  async #scan(fits: Fits, collected: Collected): Promise<void> {
    for await (const { txnId, rows } of this.#file.leaves()) {
      for (const row of rows) {
        const found = this.#found(row, txnId);
        if (found && (await fits(found.row))) collected.add(found);
        else collected.endRun();
      }
      collected.endRun();
    }
  }

  #found({ key: keyBytes, value }: Row, txnId: number): Found | undefined {
    const key = decodeKey(keyBytes);
    return key && { keyBytes, row: { key, txnId, read: () => this.#file.bytesOf(value) } };
  }
}

/** Rows in runs without gaps. */
class Collected {
  readonly #rows = new Map<string, Found>();
  readonly #neighbours = new Set<string>();
  #before: string | undefined;

  add(found: Found): void {
    const name = Buffer.from(found.keyBytes).toString('hex');
    if ((this.#rows.get(name)?.row.txnId ?? -1) < found.row.txnId) this.#rows.set(name, found);
    if (this.#before !== undefined) this.#neighbours.add(`${this.#before} ${name}`);
    this.#before = name;
  }

  endRun(): void {
    this.#before = undefined;
  }

  table(isWhole: boolean): FoundTable {
    const sorted = [...this.#rows].toSorted(([, a], [, b]) => Buffer.compare(a.keyBytes, b.keyBytes));
    const breaks = new Set<number>();
    if (!isWhole) {
      for (let i = 0; i <= sorted.length; i += 1)
        if (!this.#neighbours.has(`${sorted[i - 1]?.[0]} ${sorted[i]?.[0]}`)) breaks.add(i);
    }
    return { rows: sorted.map(([, { row }]) => row), breaks };
  }
}
