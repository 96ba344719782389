import { join } from 'node:path';
import type { Clock } from '@crosstape/core';
import type { Log } from '../platform/log.ts';
import { systemSecretBytes } from '../platform/random.ts';
import { openDataFolder } from './data-folder.ts';
import { KeyRing } from './key-ring.ts';
import { openKeySecret } from './key-secret.ts';
import { KeyShelf } from './key-shelf.ts';
import { KeyUsage } from './key-usage.ts';
import { LmdbStore } from './lmdb-store.ts';

/** Beside the records: keys belong to whoever runs the service, not to a market. */
const KEYS_FOLDER = 'keys';

export function keysFolder(data: string): string {
  return join(data, KEYS_FOLDER);
}

export interface Keys {
  readonly folder: string;
  readonly ring: KeyRing;
  readonly shelf: KeyShelf;
  readonly usage: KeyUsage;
  close(): Promise<void>;
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
  const store = new LmdbStore(folder);
  try {
    const shelf = await KeyShelf.open(store, hash);
    const usage = new KeyUsage({ clock, store, log, writer });
    const ring = new KeyRing({ clock, shelf, usage, secretBytes: systemSecretBytes });
    return {
      folder,
      ring,
      shelf,
      usage,
      async close() {
        await usage.stop();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
