import { createHmac } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretBytes } from '../../platform/random.ts';
import { DataFolderError } from '../../store/data-folder.ts';

const SECRET_FILE = 'secret';
export const SECRET_BYTES = 32;
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** Turns the text of a key into its stored hash; without the secret, texts cannot be tried against a stolen store. */
export type KeyHash = (text: string) => string;

/** The secret of a folder, created if there is none. Only its owner may read it. */
export async function openKeySecret(folder: string, secretBytes: SecretBytes): Promise<KeyHash> {
  const file = join(folder, SECRET_FILE);
  const secret = (await readSecret(file)) ?? (await makeSecret(file, secretBytes));
  return hashWith(secret);
}

/** Hashes keys with a secret. */
export function hashWith(secret: Buffer): KeyHash {
  return (text) => createHmac('sha256', secret).update(text).digest('hex');
}

async function readSecret(file: string): Promise<Buffer | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new DataFolderError(`${file} cannot be read: ${error.message}`);
  });
  if (text === undefined) return undefined;
  const secret = Buffer.from(text.trim(), 'hex');
  if (secret.length !== SECRET_BYTES) throw new DataFolderError(`${file} is damaged: put its copy back`);
  if (process.platform !== 'win32' && ((await stat(file)).mode & OTHERS) !== 0)
    throw new DataFolderError(`${file} can be read by others: chmod 600 it`);
  return secret;
}

/** Atomic, and never overwrites the secret of a process that was faster. */
async function makeSecret(file: string, secretBytes: SecretBytes): Promise<Buffer> {
  const draft = `${file}.${secretBytes(8).toString('hex')}`;
  await writeFile(draft, `${secretBytes(SECRET_BYTES).toString('hex')}\n`, { mode: OWNER_ONLY, flush: true });
  try {
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  const secret = await readSecret(file);
  if (!secret) throw new DataFolderError(`${file} could not be read back after it was written`);
  return secret;
}
