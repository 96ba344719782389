import { createHash } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolderError } from './data-folder.ts';

/**
 * Makes this process the only one that records into a folder. The lock is a socket that is listened on, so it ends with
 * the process however that dies; a socket file that nobody answers on is a leftover.
 */
export async function lockFolder(
  path: string,
  advice = 'give this one another --data folder',
): Promise<{ release(): Promise<void> }> {
  const hash = createHash('sha256')
    .update(await realpath(path))
    .digest('hex')
    .slice(0, 32);
  const address =
    process.platform === 'win32'
      ? `\\\\.\\pipe\\crosstape-${hash}`
      : join(tmpdir(), `crosstape-${hash}.sock`);
  const server =
    (await listen(address)) ?? (await takeOver(address, `another Crosstape records into ${path}; ${advice}`));
  // Whoever asks only wants to know that somebody is there.
  server.on('connection', (socket) => socket.destroy());
  server.unref();
  return { release: () => new Promise((resolve) => void server.close(() => resolve())) };
}

async function takeOver(address: string, refusal: string): Promise<Server> {
  if (!(await isAnswered(address))) {
    await rm(address, { force: true });
    const server = await listen(address);
    if (server) return server;
  }
  throw new DataFolderError(refusal);
}

/** `undefined` when the address is taken. */
function listen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(address, () => resolve(server));
  });
}

function isAnswered(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
