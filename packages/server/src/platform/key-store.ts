import { hash } from 'node:crypto';

/** A caller on the higher tier has larger limits. */
export const tiers = ['free', 'pro'] as const;
export type Tier = (typeof tiers)[number];

/** Whom a key belongs to; the key itself is not needed any more. The id may be shown and logged. */
export interface KeyOwner {
  readonly id: string;
  readonly tier: Tier;
}

/** A revoked key is good for no longer than this, whichever process revoked it. */
export const REVOCATION_MS = 10_000;

/** Knows the keys that were given out. */
export interface KeyStore {
  /** The owner of a key that was found a moment ago, without waiting; `undefined` says nothing: find it. */
  recall(key: string): KeyOwner | undefined;
  /** `undefined` for a key that is unknown or revoked; rejects while the store is unavailable. */
  find(key: string): Promise<KeyOwner | undefined>;
  /** Counts one use: a request that is served, a socket that is opened. */
  count(owner: KeyOwner): void;
}

/** Keys that are known from the start; without any, every key is unknown. */
export class MemoryKeyStore implements KeyStore {
  /** By digest, so that looking one up takes no longer for a key that is almost right. */
  readonly #owners: ReadonlyMap<string, KeyOwner>;

  constructor(keys: Readonly<Record<string, KeyOwner>> = {}) {
    this.#owners = new Map(Object.entries(keys).map(([key, owner]) => [digest(key), owner]));
  }

  recall(key: string): KeyOwner | undefined {
    return this.#owners.get(digest(key));
  }

  async find(key: string): Promise<KeyOwner | undefined> {
    return this.recall(key);
  }

  count(): void {}
}

function digest(key: string): string {
  return hash('sha256', key);
}
