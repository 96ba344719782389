/** Who pays for more may ask for more. */
export const tiers = ['free', 'pro'] as const;
export type Tier = (typeof tiers)[number];

/** A key that holds, without its text. */
export interface KnownKey {
  /** May be shown and logged: it says nothing of the key's text. */
  readonly id: string;
  readonly tier: Tier;
}

/** What there is to say of a text that somebody gives as a key. */
export type KeyVerdict =
  | { readonly status: 'known'; readonly key: KnownKey }
  /** It was never given out, or is revoked, or has a typing error. */
  | { readonly status: 'unknown' }
  /** Nobody can tell at the moment: neither a yes nor a no. */
  | { readonly status: 'unavailable' };

/** Knows keys. A revoked one is unknown within `REVOCATION_MS`, whichever process revoked it. */
export interface KeyStore {
  /** A key that was looked up a moment ago, without waiting; `undefined` says nothing: look it up. */
  recall(text: string): KnownKey | undefined;
  /** Never rejects. */
  lookUp(text: string): Promise<KeyVerdict>;
  /** Counts one use: a request that is served, a socket that is opened. */
  count(key: KnownKey): void;
}

/** A revoked key is good for no longer than this. */
export const REVOCATION_MS = 10_000;
