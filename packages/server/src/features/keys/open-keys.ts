import { join } from 'node:path';
import type { Clock } from '@crosstape/core';
import type { Log } from '../../platform/log.ts';
import { systemSecretBytes } from '../../platform/random.ts';
import { openDataFolder } from '../../store/data-folder.ts';
import { KeyExpiry } from './key-expiry.ts';
import { KeyRing } from './key-ring.ts';
import { type KeyHash, openKeySecret } from './key-secret.ts';
import { KeyTable } from './key-table.ts';
import { KeyUsage } from './key-usage.ts';
import { openLmdb } from '../../store/open-lmdb.ts';
import type { Store } from '../../store/store.ts';

/** Beside the records: keys belong to the operator, not to a market. */
const KEYS_FOLDER = 'keys';

export function keysFolder(data: string): string {
  return join(data, KEYS_FOLDER);
}

export interface OpenedKeys {
  readonly ring: KeyRing;
  readonly table: KeyTable;
  readonly usage: KeyUsage;
  close(): Promise<void>;
}

export interface Keys extends OpenedKeys {
  readonly folder: string;
}

export interface OpenKeysOptions {
  /** The data folder. */
  readonly data: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Names who counts: the record that this process alone writes, or a command. */
  readonly writer: string;
}

/** The keys of a data folder. A service and commands may have them open at the same time. */
export async function openKeys({ data, clock, log, writer }: OpenKeysOptions): Promise<Keys> {
  const folder = await openDataFolder(data, KEYS_FOLDER);
  const hash = await openKeySecret(folder, systemSecretBytes);
  const keys = await keysIn(await openLmdb(folder), hash, { clock, log, writer });
  return { ...keys, folder };
}

/** The keys in a store; closing them closes it. */
export async function keysIn(
  store: Store,
  hash: KeyHash,
  { clock, log, writer }: Pick<OpenKeysOptions, 'clock' | 'log' | 'writer'>,
): Promise<OpenedKeys> {
  try {
    const table = await KeyTable.open(store, hash);
    const usage = new KeyUsage({ clock, store, log, writer });
    const expiry = new KeyExpiry({ clock, table, usage, log });
    const ring = new KeyRing({ clock, table, usage, expiry, secretBytes: systemSecretBytes });
    return {
      ring,
      table,
      usage,
      async close() {
        await expiry.stop();
        await usage.stop();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
