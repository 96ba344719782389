import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Failure } from '../../platform/errors.ts';
import { readDisk } from '../../store/read-disk.ts';
import { MANIFEST_KEY, readLakeKey } from './lake-key.ts';

/** More than all markets of all venues make in months. */
const FILES_MAX = 200_000;
const UNFINISHED = '.part';
/** Left free for the tape, which stops at an eighth of this. */
const KEEP_FREE_BYTES = 256 * 2 ** 20;
const FULL_RETRY_SECONDS = 60;

/** A file of the lake, as the manifest lists it. */
export interface LakeFile {
  readonly key: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly md5: string;
  /** Of the rows; null if there are none. */
  readonly minTs: number | null;
  readonly maxTs: number | null;
  /** Whether the record has no gap that day. */
  readonly complete: boolean;
  /** For a file per market. */
  readonly market?: string;
  readonly coin?: string;
  readonly madeAtMs: number;
  /** Of a market's file in the folder: what its day had when it was made (`MarketDay`). */
  readonly version?: string;
}

/** Files in the layout of their keys, and the list of those that are whole. */
export class LakeFolder {
  /** Limit over all files. */
  readonly bytesMax: number;
  readonly #folder: string;
  readonly #files = new Map<string, LakeFile>();
  /** In the order of keys; made when it is needed. */
  #sorted: readonly LakeFile[] | undefined;
  #bytes = 0;
  #writing: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;

  /** Adopts the files of the previous process. Files that do not match the list are removed. */
  static async open(folder: string, bytesMax: number): Promise<LakeFolder> {
    const lake = new LakeFolder(folder, bytesMax);
    await mkdir(folder, { recursive: true });
    for (const file of await readManifest(join(folder, MANIFEST_KEY))) {
      const isWhole = await stat(lake.pathOf(file.key)).then(
        ({ size }) => size === file.bytes,
        () => false,
      );
      if (isWhole && lake.#files.size < FILES_MAX) lake.#keep(file);
    }
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const key = relative(folder, path);
      if (entry.isFile() && key !== MANIFEST_KEY && !lake.#files.has(key)) await rm(path, { force: true });
    }
    await lake.#evict(bytesMax);
    return lake;
  }

  private constructor(folder: string, bytesMax: number) {
    this.#folder = folder;
    this.bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** By key. */
  get files(): readonly LakeFile[] {
    return (this.#sorted ??= [...this.#files.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1)));
  }

  get(key: string): LakeFile | undefined {
    return this.#files.get(key);
  }

  pathOf(key: string): string {
    return join(this.#folder, key);
  }

  /** Where a file may be written before it is added; no other process writes there. */
  async unfinished(key: string): Promise<string> {
    const { freeBytes } = await readDisk(this.#folder);
    if (freeBytes < KEEP_FREE_BYTES)
      throw new Failure('overloaded', 'Not enough disk space for lake files.', {
        retryAfterSeconds: FULL_RETRY_SECONDS,
      });
    const path = this.pathOf(key) + UNFINISHED;
    await mkdir(dirname(path), { recursive: true });
    return path;
  }

  /** A file that was written to `unfinished` is whole: it gets its name, and is listed. */
  async add(file: LakeFile): Promise<void> {
    const path = this.pathOf(file.key);
    await rename(path + UNFINISHED, path);
    this.#forget(file.key);
    this.#keep(file);
    await this.#writeManifest();
    await this.#evict(this.bytesMax, file.key);
  }

  async discard(key: string): Promise<void> {
    await rm(this.pathOf(key) + UNFINISHED, { force: true });
  }

  /** A file whose day has no rows any more is removed. Open readers are not affected. */
  async remove(key: string): Promise<void> {
    if (!this.#files.has(key)) return;
    this.#forget(key);
    await this.#writeManifest();
    await rm(this.pathOf(key), { force: true });
  }

  /** Frees this many bytes, if possible, for more important data. */
  async free(bytes: number): Promise<void> {
    await this.#evict(this.#bytes - bytes);
  }

  /** Removes files of the oldest days until the others fit. Open readers are not affected. */
  async #evict(bytesMax: number, keep?: string): Promise<void> {
    if (this.#bytes <= bytesMax) return;
    const gone: string[] = [];
    for (const { key } of this.files.toSorted(byDate)) {
      if (this.#bytes <= bytesMax) break;
      if (key !== keep) gone.push(key);
      if (key !== keep) this.#forget(key);
    }
    await this.#writeManifest();
    for (const key of gone) await rm(this.pathOf(key), { force: true });
  }

  #keep(file: LakeFile): void {
    this.#files.set(file.key, file);
    this.#bytes += file.bytes;
    this.#sorted = undefined;
  }

  #forget(key: string): void {
    const file = this.#files.get(key);
    if (!file) return;
    this.#files.delete(key);
    this.#bytes -= file.bytes;
    this.#sorted = undefined;
  }

  /** One write at a time; changes made meanwhile are written together. */
  #writeManifest(): Promise<void> {
    if (this.#waiting) return this.#waiting;
    const next = this.#writing.then(() => {
      this.#waiting = undefined;
      return replaceFile(this.pathOf(MANIFEST_KEY), manifestOf(this.files));
    });
    this.#waiting = next;
    this.#writing = next.catch(() => undefined);
    return next;
  }
}

/** The file has its old content or the new one, whenever the process ends. */
async function replaceFile(path: string, text: string): Promise<void> {
  const file = await open(path + UNFINISHED, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(path + UNFINISHED, path);
}

/** The date in the key of a file. */
export function dateIn({ key }: LakeFile): string {
  return readLakeKey(key)?.date ?? '';
}

function byDate(a: LakeFile, b: LakeFile): number {
  return dateIn(a) < dateIn(b) ? -1 : 1;
}

/** The text of `manifest.json`. */
export function manifestOf(files: readonly LakeFile[]): string {
  return `{"version":1,"files":[${files.map((file) => `\n${JSON.stringify(file)}`).join(',')}\n]}\n`;
}

async function readManifest(path: string): Promise<readonly LakeFile[]> {
  try {
    const { files } = JSON.parse(await readFile(path, 'utf8')) as { readonly files: readonly LakeFile[] };
    return files.filter(({ key }) => readLakeKey(key) !== undefined);
  } catch {
    // Absent, or written by another version: the files are made again.
    return [];
  }
}
