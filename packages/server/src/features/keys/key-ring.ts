import { hash } from 'node:crypto';
import { type Clock, sleep } from '@crosstape/core';
import { Failure } from '../../platform/errors.ts';
import { type KeyOwner, type KeyStore, REVOCATION_MS, type Tier } from '../../platform/key-store.ts';
import { isKeyText, makeKey } from '../../platform/key-text.ts';
import type { SecretBytes } from '../../platform/random.ts';
import { type KeyExpiry, USE_WITHIN_MS } from './key-expiry.ts';
import { type KeyRecord, KEYS_MAX, type KeyTable } from './key-table.ts';
import type { KeyUsage, Usage } from './key-usage.ts';

/** A key that was looked up counts as valid for this long: a revocation elsewhere shows after that. */
const RECALL_MS = REVOCATION_MS / 2;
/** Keys that are remembered; beyond it the one that was looked up first is forgotten. */
const RECALLED_MAX = 20_000;
const SALT_BYTES = 16;
/** Keys that callers may have made in the last day, all together. */
const ISSUED_MAX = 1_000;
/** How long a caller waits for room, and when to retry if there is none. */
const ROOM_MS_MAX = 3_000;
const RETRY_AFTER_SECONDS = 60;

interface NewKey {
  readonly text: string;
  readonly record: KeyRecord;
}

interface Recalled {
  readonly owner: KeyOwner;
  readonly untilMs: number;
}

export interface KeyRingOptions {
  readonly clock: Clock;
  readonly table: KeyTable;
  readonly usage: KeyUsage;
  readonly secretBytes: SecretBytes;
  readonly expiry: KeyExpiry;
  readonly keysMax?: number;
  readonly issuedMax?: number;
}

/** The keys of a data folder, in memory. */
export class KeyRing implements KeyStore {
  readonly #options: KeyRingOptions;
  readonly #salt: string;
  /** By salted hash: the time of a look-up does not reveal how much of a text was right. */
  readonly #recalled = new Map<string, Recalled>();
  /** Number of keys; misses new keys of other processes. */
  #size: number | undefined;
  /** Settles when the key before the next one is made or refused. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: KeyRingOptions) {
    this.#options = options;
    this.#salt = options.secretBytes(SALT_BYTES).toString('hex');
  }

  recall(text: string): KeyOwner | undefined {
    const recalled = this.#recalled.get(this.#placeOf(text));
    const leftMs = (recalled?.untilMs ?? 0) - this.#options.clock.now();
    // More than the whole time is left after the clock was set back.
    return leftMs > 0 && leftMs <= RECALL_MS ? recalled?.owner : undefined;
  }

  async find(text: string): Promise<KeyOwner | undefined> {
    if (!isKeyText(text)) return undefined;
    const { clock, table } = this.#options;
    const askedAtMs = clock.now();
    const record = await table.find(text);
    const place = this.#placeOf(text);
    this.#recalled.delete(place);
    if (!record || record.revokedAtMs !== undefined) return undefined;
    const { id, tier } = record;
    const owner = { id, tier };
    if (this.#recalled.size >= RECALLED_MAX) {
      const [oldest] = this.#recalled.keys();
      if (oldest !== undefined) this.#recalled.delete(oldest);
    }
    this.#recalled.set(place, { owner, untilMs: askedAtMs + RECALL_MS });
    return owner;
  }

  count({ id }: KeyOwner): void {
    this.#options.usage.count(id);
  }

  /** A new key from the operator. Its text is returned only here. */
  create(tier: Tier, label?: string): Promise<NewKey> {
    return this.#make(tier, label === undefined ? {} : { label });
  }

  /** A new key for a caller. It expires unless it is used within `USE_WITHIN_MS`. */
  async createForCaller(tier: Tier): Promise<NewKey> {
    await this.#checkIssued();
    const { table, keysMax = KEYS_MAX } = this.#options;
    const counted = this.#size ?? (await table.size());
    this.#size ??= counted;
    if (this.#size >= keysMax) await this.#waitForRoom();
    if (this.#size >= keysMax) throw noneLeft(RETRY_AFTER_SECONDS);
    this.#size += 1;
    try {
      return await this.#inTurn(async () => {
        await this.#checkIssued();
        return this.#make(tier, { isSelfMade: true });
      });
    } catch (error) {
      this.#size -= 1;
      throw error;
    }
  }

  /** One after the other: callers at the same time must not all get the last key of the day. */
  #inTurn<Result>(make: () => Promise<Result>): Promise<Result> {
    const made = this.#turn.then(make);
    this.#turn = made.catch(() => undefined);
    return made;
  }

  async #checkIssued(): Promise<void> {
    const { clock, table, issuedMax = ISSUED_MAX } = this.#options;
    const nowMs = clock.now();
    const issued = await table.issuedSince(nowMs - USE_WITHIN_MS, issuedMax);
    const [oldestMs] = issued;
    if (issued.length < issuedMax || oldestMs === undefined) return;
    throw noneLeft(Math.max(1, Math.ceil((oldestMs + USE_WITHIN_MS - nowMs) / 1_000)));
  }

  async #waitForRoom(): Promise<void> {
    const late = new AbortController();
    await Promise.race([this.#makeRoom(), sleep(this.#options.clock, ROOM_MS_MAX, late.signal)]).finally(() =>
      late.abort(),
    );
  }

  async #makeRoom(): Promise<void> {
    const { expiry, table } = this.#options;
    await expiry.makeRoom();
    this.#size = await table.size();
  }

  async #make(tier: Tier, details: { label?: string; isSelfMade?: boolean }): Promise<NewKey> {
    const { clock, table, secretBytes } = this.#options;
    const text = makeKey(tier, secretBytes);
    const record = await table.add(text, { tier, createdAtMs: clock.now(), ...details });
    return { text, record };
  }

  /** The stored state of a valid key. */
  async describe({
    id,
  }: KeyOwner): Promise<{ readonly record: KeyRecord; readonly usage: Usage } | undefined> {
    const { table, usage } = this.#options;
    const record = await table.get(id);
    return record && { record, usage: await usage.of(id) };
  }

  /** At once in this process, within `REVOCATION_MS` elsewhere. */
  async revoke({ id }: KeyOwner): Promise<void> {
    const { clock, table } = this.#options;
    await table.revoke(id, clock.now());
    for (const [place, { owner }] of this.#recalled) if (owner.id === id) this.#recalled.delete(place);
  }

  #placeOf(text: string): string {
    return hash('sha256', this.#salt + text);
  }
}

function noneLeft(retryAfterSeconds: number): Failure {
  return new Failure('overloaded', 'No more keys are issued at the moment.', { retryAfterSeconds });
}
