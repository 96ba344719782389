import type { Clock } from '@crosstape/core';
import { hashWith, type KeyHash, SECRET_BYTES } from '../features/keys/key-secret.ts';
import { keysIn, type OpenedKeys } from '../features/keys/open-keys.ts';
import type { Log } from '../platform/log.ts';
import { systemSecretBytes } from '../platform/random.ts';
import { DataFolderError } from '../store/data-folder.ts';
import type { RedisLink } from './redis.ts';
import { RedisStore } from './redis-store.ts';

const PREFIX = '{crosstape:keys}';

export interface SharedKeysOptions {
  readonly link: RedisLink;
  readonly clock: Clock;
  readonly log: Log;
  /** Name under which this process counts usage; must be unique. */
  readonly writer: string;
}

/** The API keys on a shared Redis, the same for every market on it. */
export async function openSharedKeys({ link, ...options }: SharedKeysOptions): Promise<OpenedKeys> {
  const hash = await openSharedSecret(link, `${PREFIX}:secret`);
  return keysIn(new RedisStore({ link, prefix: PREFIX }), hash, options);
}

/** The secret that all processes on a shared Redis use, created by the first. */
async function openSharedSecret(redis: RedisLink, key: string): Promise<KeyHash> {
  await redis.set(key, systemSecretBytes(SECRET_BYTES).toString('hex'), 'NX');
  const text = await redis.get(key);
  if (text === null)
    throw new DataFolderError('the secret of the keys could not be read back after it was written');
  return hashWith(Buffer.from(text, 'hex'));
}
