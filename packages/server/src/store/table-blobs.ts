import type { BlobStore, FoundBlob, StoredBlob } from './blob-store.ts';
import type { Key, Store, Table } from './store.ts';
import { streamBytes } from '../platform/stream-bytes.ts';

/** Maximum bytes of blobs; beyond this the oldest are removed. */
const BYTES_MAX = 4 * 2 ** 30;
const ROWS_MAX = 1_000_000;
/** Blobs cached while clients read them. */
const SHARED_MAX = 256;
/** Rows removed at a time. */
const PRUNE_ROWS = 200;

/** Blobs as rows of a store that several processes share. */
export class TableBlobs implements BlobStore {
  readonly #store: Store;
  readonly #bytesMax: number;
  readonly #blobs: Table<Uint8Array>;
  /** By time: how many bytes. */
  readonly #ages: Table<number>;
  /** Blobs that clients are reading. */
  readonly #shared = new Map<string, { data: WeakRef<Uint8Array>; storedAtMs: number }>();
  /** Unknown until first counted. */
  #bytes: number | undefined;

  constructor(store: Store, { bytesMax = BYTES_MAX }: { readonly bytesMax?: number } = {}) {
    this.#store = store;
    this.#bytesMax = bytesMax;
    this.#blobs = store.table('results', 'binary');
    this.#ages = store.table<number>('result-ages', 'json');
  }

  async put(key: string, { data, storedAtMs }: StoredBlob): Promise<void> {
    await this.#store.commit([
      this.#blobs.puts([{ key: [key, storedAtMs], value: data }]),
      this.#ages.puts([{ key: [storedAtMs, key], value: data.length }]),
    ]);
    if (this.#bytes !== undefined) this.#bytes += data.length;
  }

  async get(key: string): Promise<StoredBlob | undefined> {
    const [row] = await this.#blobs.range({ from: [key], to: [key, Number.MAX_SAFE_INTEGER], limit: 1 });
    return row && { data: row.value, storedAtMs: row.key[1] as number };
  }

  /** Clients that read a blob at the same time share its bytes. */
  async find(key: string): Promise<FoundBlob | undefined> {
    const shared = this.#shared.get(key);
    const known = shared?.data.deref();
    const blob = known && shared ? { data: known, storedAtMs: shared.storedAtMs } : await this.get(key);
    if (!blob) return undefined;
    const { data, storedAtMs } = blob;
    this.#shared.delete(key);
    const [oldest] = this.#shared.keys();
    if (this.#shared.size >= SHARED_MAX && oldest !== undefined) this.#shared.delete(oldest);
    this.#shared.set(key, { data: new WeakRef(data), storedAtMs });
    return { bytes: data.length, storedAtMs, stream: () => streamBytes(data) };
  }

  async prune(beforeMs: number): Promise<void> {
    this.#bytes ??= await this.#countBytes();
    for (let isMore = true; isMore; ) isMore = await this.#pruneSome(beforeMs);
  }

  async #pruneSome(beforeMs: number): Promise<boolean> {
    const rows = await this.#ages.range({ limit: PRUNE_ROWS });
    const bytes = this.#bytes ?? 0;
    let freed = 0;
    const old: Key[] = [];
    for (const { key, value } of rows) {
      if ((key[0] as number) >= beforeMs && bytes - freed <= this.#bytesMax) break;
      freed += value;
      old.push(key);
    }
    if (old.length === 0) return false;
    const keys = old.map(([storedAtMs, key]) => [key as string, storedAtMs as number]);
    await this.#store.commit([this.#ages.removes(old), this.#blobs.removes(keys)]);
    // Others may have been stored meanwhile.
    this.#bytes = (this.#bytes ?? 0) - freed;
    return old.length === PRUNE_ROWS;
  }

  async #countBytes(): Promise<number> {
    const rows = await this.#ages.range({ limit: ROWS_MAX });
    return rows.reduce((sum, { value }) => sum + value, 0);
  }
}
