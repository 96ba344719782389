import { createHash } from 'node:crypto';
import { lstat, realpath, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemSecretBytes } from '../platform/random.ts';
import { DataFolderError, LOCK_FILE } from './data-folder.ts';

/**
 * Longer socket addresses are refused or truncated by some systems; a leftover that is moved aside has a longer one.
 */
const ADDRESS_BYTES_MAX = 98;
/** The error of a socket without a listener. */
const leftover = ['ECONNREFUSED', 'ENOENT'];

/** Another process records into the folder. */
export class FolderInUseError extends DataFolderError {}

/**
 * Makes this process the only one that records into a folder. The lock is a listening socket, so it ends with the
 * process however that dies; a socket file without a listener is a leftover, or came with a copy of the folder. It is
 * in the folder itself, which all recording processes share whatever else they see of the file system; if that cannot
 * hold a socket, it is in the system's temporary folder.
 */
export async function lockFolder(
  path: string,
  advice = 'give this one another --data folder',
): Promise<{ release(): Promise<void> }> {
  const folder = await realpath(path);
  const refusal = `another Crosstape records into ${path}; ${advice}`;
  const inside = join(folder, LOCK_FILE);
  const isInside = process.platform !== 'win32' && Buffer.byteLength(inside) <= ADDRESS_BYTES_MAX;
  const server =
    (isInside && (await holdIfPossible(inside, refusal))) || (await hold(outside(folder), refusal));
  // The caller only checks whether a process is listening.
  server.on('connection', (socket) => socket.destroy());
  server.unref();
  return { release: () => new Promise((resolve) => void server.close(() => resolve())) };
}

function outside(folder: string): string {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 32);
  return process.platform === 'win32'
    ? `\\\\.\\pipe\\crosstape-${hash}`
    : join(tmpdir(), `crosstape-${hash}.sock`);
}

/** `undefined` if no socket can be created there: on a file system without sockets, or a read-only one. */
async function holdIfPossible(address: string, refusal: string): Promise<Server | undefined> {
  try {
    return await hold(address, refusal);
  } catch (error) {
    if (error instanceof DataFolderError) throw error;
    return undefined;
  }
}

async function hold(address: string, refusal: string): Promise<Server> {
  const server = await listen(address);
  if (server) return server;
  if (!(await isAnswered(address)) && (await removeLeftover(address))) {
    const second = await listen(address);
    if (second) return second;
  }
  throw new FolderInUseError(refusal);
}

/**
 * False if it is no longer a leftover: another process has replaced it. The file is moved aside before it is probed
 * again, so that a listening socket is never removed.
 */
async function removeLeftover(address: string): Promise<boolean> {
  const aside = `${address}.${systemSecretBytes(2).toString('hex')}`;
  try {
    if ((await lstat(address)).isDirectory()) throw new Error(`${address} is a folder`);
    await rename(address, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
  const isHeld = await isAnswered(aside).catch(async (error: unknown) => {
    await rename(aside, address);
    throw error;
  });
  if (isHeld) {
    await rename(aside, address);
    return false;
  }
  await rm(aside, { force: true });
  return true;
}

/** `undefined` if the address is taken. */
function listen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    // Users that may read the folder may connect, also as another user.
    server.listen({ path: address, writableAll: true }, () => resolve(server));
  });
}

function isAnswered(address: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (leftover.includes(error.code ?? '')) resolve(false);
      else
        reject(
          new DataFolderError(`${address} does not report whether its folder is in use: ${error.message}`),
        );
    });
  });
}
