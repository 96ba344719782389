import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore, FoundBlob, StoredBlob } from './blob-store.ts';
import { type Disk, readDisk } from './read-disk.ts';

/** Maximum bytes on a disk of any size. */
const BYTES_MAX = 4 * 2 ** 30;
/** Maximum share of the disk. */
const DISK_SHARE = 0.1;
/** Left free for the tape, which stops only at a quarter of this. */
const KEEP_FREE_BYTES = 128 * 2 ** 20;
const FILES_MAX = 10_000;
const KEY_LENGTH_MAX = 100;
const UNFINISHED = '.part';

interface Entry {
  readonly key: string;
  readonly file: string;
  readonly storedAtMs: number;
  readonly bytes: number;
}

export interface FileBlobsOptions {
  readonly folder: string;
  readonly disk?: (folder: string) => Promise<Disk>;
}

/** One file per blob: unlike rows of a database, a removed file frees its space at once. */
export class FileBlobs implements BlobStore {
  readonly #folder: string;
  readonly #disk: (folder: string) => Promise<Disk>;
  /** Oldest first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  /** Adopts the files of the previous process, and removes unfinished ones. */
  static async open({ folder, disk = readDisk }: FileBlobsOptions): Promise<FileBlobs> {
    await mkdir(folder, { recursive: true });
    const blobs = new FileBlobs(folder, disk);
    const entries: Entry[] = [];
    for (const file of await readdir(folder)) {
      const named = readName(file);
      if (named) entries.push({ ...named, file, bytes: (await stat(join(folder, file))).size });
      else await rm(join(folder, file), { force: true });
    }
    for (const entry of entries.toSorted((a, b) => a.storedAtMs - b.storedAtMs)) blobs.#add(entry);
    return blobs;
  }

  private constructor(folder: string, disk: (folder: string) => Promise<Disk>) {
    this.#folder = folder;
    this.#disk = disk;
  }

  async put(key: string, { data, storedAtMs }: StoredBlob): Promise<void> {
    if (key.length > KEY_LENGTH_MAX) throw new RangeError(`a key of ${key.length} characters`);
    const bytes = data.length;
    const { sizeBytes } = await this.#disk(this.#folder);
    const bytesMax = Math.min(BYTES_MAX, Math.floor(sizeBytes * DISK_SHARE));
    if (bytes > bytesMax)
      throw new Error(`${bytes} bytes; ${this.#folder} may hold ${bytesMax} on this disk`);
    await this.#remove(this.#entries.get(key));
    const entry = { key, file: `${storedAtMs}.${encodeURIComponent(key)}`, storedAtMs, bytes };
    // Counted before it is written, so that concurrent writes stay within the limit.
    this.#add(entry);
    try {
      await this.#evict(() => this.#bytes > bytesMax || this.#entries.size > FILES_MAX, entry);
      await this.#leaveFree(bytes, entry);
      await this.#write(entry.file, data);
      // Evicted while it was written.
      if (this.#entries.get(key) !== entry) await rm(join(this.#folder, entry.file), { force: true });
    } catch (error) {
      await this.#remove(entry);
      throw error;
    }
  }

  async get(key: string): Promise<StoredBlob | undefined> {
    const found = this.#located(key);
    if (!found) return undefined;
    const data = await ifThere(readFile(found.path));
    return data && { data, storedAtMs: found.entry.storedAtMs };
  }

  async find(key: string): Promise<FoundBlob | undefined> {
    const found = this.#located(key);
    if (!found || !(await ifThere(stat(found.path)))) return undefined;
    const { path, entry } = found;
    const { bytes, storedAtMs } = entry;
    return { bytes, storedAtMs, stream: () => createReadStream(path) };
  }

  #located(key: string): { readonly entry: Entry; readonly path: string } | undefined {
    const entry = this.#entries.get(key);
    return entry && { entry, path: join(this.#folder, entry.file) };
  }

  async prune(beforeMs: number): Promise<void> {
    await this.#evict(({ storedAtMs }) => storedAtMs < beforeMs);
  }

  /** Removes the oldest until this many bytes are freed, or none is left. */
  async free(bytes: number): Promise<void> {
    const target = this.#bytes - bytes;
    await this.#evict(() => this.#bytes > target);
  }

  async #leaveFree(bytes: number, keep: Entry): Promise<void> {
    const missing = async (): Promise<number> =>
      KEEP_FREE_BYTES + bytes - (await this.#disk(this.#folder)).freeBytes;
    const target = this.#bytes - (await missing());
    await this.#evict(() => this.#bytes > target, keep);
    if ((await missing()) > 0)
      throw new Error(
        `no space left: ${this.#folder} leaves ${KEEP_FREE_BYTES / 2 ** 20} MiB of the disk free`,
      );
  }

  async #evict(isDue: (oldest: Entry) => boolean, keep?: Entry): Promise<void> {
    for (const entry of this.#entries.values()) {
      if (entry !== keep && isDue(entry)) await this.#remove(entry);
    }
  }

  async #write(file: string, data: Uint8Array): Promise<void> {
    const unfinished = join(this.#folder, `${file}${UNFINISHED}`);
    try {
      const handle = await open(unfinished, 'w');
      try {
        await handle.writeFile(data);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(unfinished, join(this.#folder, file));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.key, entry);
    this.#bytes += entry.bytes;
  }

  async #remove(entry: Entry | undefined): Promise<void> {
    if (!entry || this.#entries.get(entry.key) !== entry) return;
    this.#entries.delete(entry.key);
    this.#bytes -= entry.bytes;
    await rm(join(this.#folder, entry.file), { force: true });
  }
}

/** `undefined` if a file was evicted meanwhile, or is not written yet. */
async function ifThere<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function readName(file: string): Pick<Entry, 'key' | 'storedAtMs'> | undefined {
  const [, storedAtMs, key] = /^(\d+)\.([^.]+)$/.exec(file) ?? [];
  if (storedAtMs === undefined || key === undefined) return undefined;
  return { storedAtMs: Number(storedAtMs), key: decodeURIComponent(key) };
}
