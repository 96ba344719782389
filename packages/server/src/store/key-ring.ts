import { hash } from 'node:crypto';
import type { Clock } from '@crosstape/core';
import { Failure } from '../platform/errors.ts';
import { type KeyOwner, type KeyStore, REVOCATION_MS, type Tier } from '../platform/key-store.ts';
import { isKeyText, makeKey } from '../platform/key-text.ts';
import type { SecretBytes } from '../platform/random.ts';
import { type KeyRecord, KEYS_MAX, type KeyShelf } from './key-shelf.ts';
import type { KeyUsage, Usage } from './key-usage.ts';

/** A key that was looked up is taken for good so long: a revocation elsewhere shows after that. */
const RECALL_MS = REVOCATION_MS / 2;
/** Keys that are remembered; beyond it the one that was looked up first is forgotten. */
const RECALLED_MAX = 20_000;
const SALT_BYTES = 16;

interface Recalled {
  readonly owner: KeyOwner;
  readonly untilMs: number;
}

export interface KeyRingOptions {
  readonly clock: Clock;
  readonly shelf: KeyShelf;
  readonly usage: KeyUsage;
  readonly secretBytes: SecretBytes;
  readonly keysMax?: number;
}

/** The keys of a data folder, at hand. */
export class KeyRing implements KeyStore {
  readonly #clock: Clock;
  readonly #shelf: KeyShelf;
  readonly #usage: KeyUsage;
  readonly #secretBytes: SecretBytes;
  readonly #keysMax: number;
  readonly #salt: string;
  /** By salted hash: how long a look-up takes says nothing of how much of a text was right. */
  readonly #recalled = new Map<string, Recalled>();
  /** How many there are, this process knowing only of its own new ones. */
  #size: number | undefined;

  constructor({ clock, shelf, usage, secretBytes, keysMax = KEYS_MAX }: KeyRingOptions) {
    this.#clock = clock;
    this.#shelf = shelf;
    this.#usage = usage;
    this.#secretBytes = secretBytes;
    this.#keysMax = keysMax;
    this.#salt = secretBytes(SALT_BYTES).toString('hex');
  }

  recall(text: string): KeyOwner | undefined {
    const recalled = this.#recalled.get(this.#placeOf(text));
    return recalled && this.#clock.now() < recalled.untilMs ? recalled.owner : undefined;
  }

  async find(text: string): Promise<KeyOwner | undefined> {
    if (!isKeyText(text)) return undefined;
    const askedAtMs = this.#clock.now();
    const record = await this.#shelf.find(text);
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
    this.#usage.count(id);
  }

  /** A new key. Its text is told here and nowhere else. */
  async create(tier: Tier, label?: string): Promise<{ readonly text: string; readonly record: KeyRecord }> {
    const counted = this.#size ?? (await this.#shelf.size());
    this.#size ??= counted;
    if (this.#size >= this.#keysMax)
      throw new Failure('overloaded', 'No more keys are given out at the moment.');
    this.#size += 1;
    const text = makeKey(tier, this.#secretBytes);
    const createdAtMs = this.#clock.now();
    const record = await this.#shelf.add(text, { tier, createdAtMs, ...(label !== undefined && { label }) });
    return { text, record };
  }

  /** What is kept of a key that holds. */
  async describe({
    id,
  }: KeyOwner): Promise<{ readonly record: KeyRecord; readonly usage: Usage } | undefined> {
    const record = await this.#shelf.get(id);
    return record && { record, usage: await this.#usage.of(id) };
  }

  /** At once in this process, within `REVOCATION_MS` elsewhere. */
  async revoke({ id }: KeyOwner): Promise<void> {
    await this.#shelf.revoke(id, this.#clock.now());
    for (const [place, { owner }] of this.#recalled) if (owner.id === id) this.#recalled.delete(place);
  }

  #placeOf(text: string): string {
    return hash('sha256', this.#salt + text);
  }
}
