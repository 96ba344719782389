import { timingSafeEqual } from 'node:crypto';
import type { KeyOwner, Tier } from '../../platform/key-store.ts';
import { DataFolderError } from '../../store/data-folder.ts';
import type { KeyHash } from './key-secret.ts';
import type { Change, Store, Table } from '../../store/store.ts';

/** Beyond this many keys, including revoked ones, callers cannot create more; the operator can. */
export const KEYS_MAX = 100_000;
/** Keys that are listed. */
export const KEYS_LISTED_MAX = 1_000_000;
/** Characters of the hash, which has 64: enough to name a key, too few to be one. */
const ID_CHARS = 16;
const FINGERPRINT = 'fingerprint';

/** A stored key: nothing from which it could be reconstructed. */
export interface KeyRecord extends KeyOwner {
  readonly createdAtMs: number;
  readonly label?: string;
  /** Made by a caller, not by the operator. */
  readonly isSelfMade?: boolean;
  readonly revokedAtMs?: number;
}

/** A key that was not used yet, as far as known. */
export interface Trial {
  readonly id: string;
  readonly createdAtMs: number;
}

interface Row extends Omit<KeyRecord, 'id' | 'revokedAtMs'> {
  readonly hash: string;
}

/** The keys that were given out. Several processes may use the same folder at a time. */
export class KeyTable {
  readonly #store: Store;
  readonly #hash: KeyHash;
  readonly #rows: Table<Row>;
  /** When a key was revoked, separate from its row: writes of another process cannot undo it. */
  readonly #revocations: Table<number>;
  /** Keys that callers made in the last day, by time. */
  readonly #trials: Table<1>;

  /** Throws a `DataFolderError` when the keys were hashed with another secret: all of them would be unknown. */
  static async open(store: Store, hash: KeyHash): Promise<KeyTable> {
    const marks = store.table<string>('key-marks', 'json');
    const known = await marks.get([FINGERPRINT]);
    const own = hash(FINGERPRINT);
    if (known === undefined) await store.commit([marks.puts([{ key: [FINGERPRINT], value: own }])]);
    else if (known !== own)
      throw new DataFolderError(
        'the keys were created with a different secret than the one stored with them',
      );
    return new KeyTable(store, hash);
  }

  private constructor(store: Store, hash: KeyHash) {
    this.#store = store;
    this.#hash = hash;
    this.#rows = store.table<Row>('keys', 'json');
    this.#revocations = store.table<number>('key-revocations', 'json');
    this.#trials = store.table<1>('key-trials', 'json');
  }

  async add(
    text: string,
    {
      tier,
      createdAtMs,
      label,
      isSelfMade = false,
    }: { tier: Tier; createdAtMs: number; label?: string; isSelfMade?: boolean },
  ): Promise<KeyRecord> {
    const hash = this.#hash(text);
    const id = hash.slice(0, ID_CHARS);
    if (await this.#rows.get([id])) throw new Error(`key ${id} already exists`);
    const row = {
      hash,
      tier,
      createdAtMs,
      ...(label !== undefined && { label }),
      ...(isSelfMade && { isSelfMade }),
    };
    const trial = isSelfMade ? [this.#trials.puts([{ key: [createdAtMs, id], value: 1 }])] : [];
    await this.#store.commit([this.#rows.puts([{ key: [id], value: row }]), ...trial]);
    return recordOf(id, row, undefined);
  }

  /** The key with this text, revoked or not. */
  async find(text: string): Promise<KeyRecord | undefined> {
    const hash = this.#hash(text);
    const id = hash.slice(0, ID_CHARS);
    const row = await this.#rows.get([id]);
    if (!row || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) return undefined;
    return recordOf(id, row, await this.#revocations.get([id]));
  }

  async get(id: string): Promise<KeyRecord | undefined> {
    const row = await this.#rows.get([id]);
    return row && recordOf(id, row, await this.#revocations.get([id]));
  }

  /** Oldest first. */
  async list(): Promise<readonly KeyRecord[]> {
    const [rows, revocations] = await Promise.all([
      this.#rows.range({ limit: KEYS_LISTED_MAX }),
      this.#revocations.range({ limit: KEYS_LISTED_MAX }),
    ]);
    const revoked = new Map(revocations.map(({ key, value }) => [key[0], value]));
    return rows
      .map(({ key, value }) => recordOf(String(key[0]), value, revoked.get(key[0] as string)))
      .toSorted((a, b) => a.createdAtMs - b.createdAtMs);
  }

  async size(): Promise<number> {
    return (await this.#rows.keys({ limit: KEYS_LISTED_MAX })).length;
  }

  /** When callers made the keys that are still on trial, oldest first. */
  async issuedSince(sinceMs: number, limit: number): Promise<readonly number[]> {
    const keys = await this.#trials.keys({ from: [sinceMs], limit });
    return keys.map(([createdAtMs]) => createdAtMs as number);
  }

  /** Keys that callers made before a time, and whose trial was not ended. */
  async onTrialBefore(beforeMs: number, limit: number): Promise<readonly Trial[]> {
    const keys = await this.#trials.keys({ to: [beforeMs], limit });
    return keys.map(([createdAtMs, id]) => ({ createdAtMs: createdAtMs as number, id: id as string }));
  }

  /** Atomically: an unused key is removed with its trial. */
  async endTrial(trials: readonly Trial[], unused: readonly string[]): Promise<void> {
    const free: string[] = [];
    for (const id of unused) if ((await this.#rows.get([id]))?.tier === 'free') free.push(id);
    await this.#store.commit([
      this.#trials.removes(trials.map(({ createdAtMs, id }) => [createdAtMs, id])),
      ...this.#forgetting(free),
    ]);
  }

  /** Ids of some keys that callers created before a time and that are unchanged, and where to continue. */
  async selfMadeBefore(
    beforeMs: number,
    { to, limit }: { readonly to?: string | undefined; readonly limit: number },
  ): Promise<{ readonly ids: readonly string[]; readonly next: string | undefined }> {
    const rows = await this.#rows.range({ ...(to !== undefined && { to: [to] }), reverse: true, limit });
    const old = rows.filter(
      ({ value }) => value.isSelfMade && value.tier === 'free' && value.createdAtMs < beforeMs,
    );
    const last = rows.length < limit ? undefined : rows.at(-1);
    return { ids: old.map(({ key }) => String(key[0])), next: last && String(last.key[0]) };
  }

  /** Removes all traces of them. */
  async forget(ids: readonly string[]): Promise<void> {
    await this.#store.commit(this.#forgetting(ids));
  }

  #forgetting(ids: readonly string[]): readonly Change[] {
    const keys = ids.map((id) => [id]);
    return [this.#rows.removes(keys), this.#revocations.removes(keys)];
  }

  /** For good. The first time counts. */
  async revoke(id: string, atMs: number): Promise<void> {
    if ((await this.#revocations.get([id])) !== undefined) return;
    await this.#store.commit([this.#revocations.puts([{ key: [id], value: atMs }])]);
  }

  async setTier(id: string, tier: Tier): Promise<void> {
    const row = await this.#rows.get([id]);
    if (!row) throw new Error(`there is no key ${id}`);
    await this.#store.commit([this.#rows.puts([{ key: [id], value: { ...row, tier } }])]);
  }
}

function recordOf(id: string, { hash: _, ...row }: Row, revokedAtMs: number | undefined): KeyRecord {
  return { id, ...row, ...(revokedAtMs !== undefined && { revokedAtMs }) };
}
