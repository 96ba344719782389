import type { Clock } from '@crosstape/core';
import type { RedisStore } from './redis-store.ts';
import type { Change, Store, Table } from './store.ts';

/** What a standby would have written is kept so long: more than a takeover takes. */
const HELD_MS = 60_000;
/** Commits that are kept; beyond it the oldest are let go. */
const HELD_MAX = 2_000;

interface Held {
  readonly atMs: number;
  readonly changes: readonly Change[];
}

export interface StandbyStoreOptions {
  readonly store: RedisStore;
  readonly clock: Clock;
  /** Rejects while what was published has not come through: nothing is recorded that was not published before. */
  readonly published: () => Promise<void>;
}

/**
 * The store of one of several that record the same. Until it is its turn, what it commits is only remembered; then the
 * last minute of that is written where the one before has not written it.
 */
export class StandbyStore implements Store {
  readonly #options: StandbyStoreOptions;
  #held: Held[] | undefined = [];

  constructor(options: StandbyStoreOptions) {
    this.#options = options;
  }

  /** It is this one's turn. */
  async lead(): Promise<void> {
    const { store } = this.#options;
    // Also without anything to write: from here on whoever had the turn before is refused.
    await store.commit([]);
    for (const { changes } of this.#held ?? []) await store.commitNew(changes);
    this.#held = undefined;
  }

  table<Value>(name: string, encoding: 'json'): Table<Value>;
  table(name: string, encoding: 'binary'): Table<Uint8Array>;
  table<Value>(name: string, encoding: 'json' | 'binary'): Table<Value> {
    return this.#options.store.table<Value>(name, encoding);
  }

  async commit(changes: readonly Change[]): Promise<void> {
    const { store, clock, published } = this.#options;
    if (!this.#held) {
      // What only removes records nothing, and is how a full server gets room again.
      if (changes.some(({ put }) => put.length > 0)) await published();
      return store.commit(changes);
    }
    const oldestMs = clock.now() - HELD_MS;
    this.#held.push({ atMs: clock.now(), changes });
    while (this.#held.length > HELD_MAX || (this.#held[0]?.atMs ?? oldestMs) < oldestMs) this.#held.shift();
  }

  probe(): Promise<void> {
    return this.#options.store.probe();
  }

  close(): Promise<void> {
    return this.#options.store.close();
  }
}
