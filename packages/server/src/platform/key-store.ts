import { hash } from 'node:crypto';

/** A caller on the higher tier has larger limits. */
export const tiers = ['free', 'pro'] as const;
export type Tier = (typeof tiers)[number];

/** The owner of a key. The id may be shown and logged. */
export interface KeyOwner {
  readonly id: string;
  readonly tier: Tier;
}

/** How long a revoked key may still work, whichever process revoked it. */
export const REVOCATION_MS = 10_000;

/** Looks up issued keys. */
export interface KeyStore {
  /** The owner of a recently found key, without waiting; `undefined` means that `find` must be called. */
  recall(key: string): KeyOwner | undefined;
  /** `undefined` for a key that is unknown or revoked; rejects while the store is unavailable. */
  find(key: string): Promise<KeyOwner | undefined>;
  /** Counts one use: a request that is served, a socket that is opened. */
  count(owner: KeyOwner): void;
}

/** A fixed set of keys. */
export class MemoryKeyStore implements KeyStore {
  /** By digest, so that the time of a look-up reveals nothing about similar keys. */
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
