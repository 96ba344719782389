import type { Clock } from '@crosstape/core';
import { isFull } from './redis.ts';
import type { RedisStore } from './redis-store.ts';
import type { Change, Key, Store, Table } from '../store/store.ts';

/** How long a standby keeps its commits: longer than a takeover takes. */
const HELD_MS = 60_000;
/** Buffered commits; beyond this a standby drops the oldest, and a new leader refuses more. */
const HELD_MAX = 2_000;

interface Held {
  readonly atMs: number;
  readonly changes: readonly Change[];
}

export interface StandbyStoreOptions {
  readonly store: Pick<RedisStore, 'table' | 'check' | 'commit' | 'commitNew' | 'probe' | 'close'>;
  readonly clock: Clock;
  /** Rejects while messages are unsent: nothing is recorded before it has been published. */
  readonly published: () => Promise<void>;
  readonly heldMax?: number;
}

/**
 * The store of one of several ingesters that record the same data. A standby only buffers its commits; when it becomes
 * the leader it writes those of the last minute that the previous leader has not written.
 */
export class StandbyStore implements Store {
  readonly #options: StandbyStoreOptions;
  readonly #held: Held[] = [];
  #writing: Promise<void> | undefined;
  #state: 'standing by' | 'taking the lead' | 'leading' = 'standing by';

  constructor(options: StandbyStoreOptions) {
    this.#options = options;
  }

  /**
   * Becomes the leader. If it fails the caller retries; buffered commits are kept. A full server does not prevent it,
   * because only a leader frees memory; buffered commits wait until there is room.
   */
  async lead(): Promise<void> {
    const { store } = this.#options;
    this.#state = 'taking the lead';
    // Even without changes: this fences off the previous leader.
    await store.commit([]);
    try {
      // More may be added meanwhile.
      for (let next; (next = this.#held[0]); this.#held.shift()) await store.commitNew(next.changes);
    } catch (error) {
      if (!isFull(error)) throw error;
      await this.#removeHeld();
    }
    this.#state = 'leading';
  }

  /** Applies buffered removals before puts that do not fit now. */
  async #removeHeld(): Promise<void> {
    for (const one of this.#held.filter(({ changes }) => !isPutting(changes))) {
      await this.#options.store.commit(one.changes);
      const at = this.#held.findIndex(({ changes }) => changes === one.changes);
      this.#held.splice(at, 1);
      this.#strike(one.changes, at);
    }
  }

  /** Drops buffered puts, among the first `count` commits, that are removed later. */
  #strike(removing: readonly Change[], count: number): void {
    const nameOf = (table: string, key: Key): string => JSON.stringify([table, ...key]);
    const gone = new Set(removing.flatMap(({ table, remove }) => remove.map((key) => nameOf(table, key))));
    for (const [i, { atMs, changes }] of this.#held.slice(0, count).entries()) {
      const left = changes.map((change) => ({
        ...change,
        put: change.put.filter(({ key }) => !gone.has(nameOf(change.table, key))),
      }));
      this.#held[i] = { atMs, changes: left };
    }
  }

  /** Writes the commits that did not fit when this process became the leader. */
  #writeHeld(): Promise<void> {
    const write = async (): Promise<void> => {
      for (let next; (next = this.#held[0]); ) {
        await this.#options.store.commitNew(next.changes);
        // Otherwise part of it was dropped meanwhile.
        if (this.#held[0] === next) this.#held.shift();
      }
    };
    this.#writing ??= write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  table<Value>(name: string, encoding: 'json'): Table<Value>;
  table(name: string, encoding: 'binary'): Table<Uint8Array>;
  table<Value>(name: string, encoding: 'json' | 'binary'): Table<Value> {
    return this.#options.store.table<Value>(name, encoding);
  }

  async commit(changes: readonly Change[]): Promise<void> {
    const { store, published } = this.#options;
    if (this.#state !== 'leading') return this.#hold(changes);
    // A commit that only removes records nothing, and frees memory on a full server.
    if (isPutting(changes)) {
      await published();
      if (this.#held.length > 0) await this.#writeHeld();
    } else this.#strike(changes, this.#held.length);
    return store.commit(changes);
  }

  #hold(changes: readonly Change[]): void {
    const { store, clock, heldMax = HELD_MAX } = this.#options;
    // A commit that no store accepts fails here: buffered, it would block the leader forever.
    store.check(changes);
    // No other process writes it any more, so the caller keeps it until it can be written.
    if (this.#state === 'taking the lead' && this.#held.length >= heldMax)
      throw new Error('too many writes are buffered on standby');
    const nowMs = clock.now();
    this.#held.push({ atMs: nowMs, changes });
    if (this.#state === 'taking the lead') return;
    const oldestMs = nowMs - HELD_MS;
    while (this.#held.length > heldMax || (this.#held[0]?.atMs ?? oldestMs) < oldestMs) this.#held.shift();
  }

  probe(): Promise<void> {
    return this.#options.store.probe();
  }

  close(): Promise<void> {
    return this.#options.store.close();
  }
}

function isPutting(changes: readonly Change[]): boolean {
  return changes.some(({ put }) => put.length > 0);
}
