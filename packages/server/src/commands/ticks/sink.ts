import { access, type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { UsageError } from '../../settings/read-settings.ts';

/** Destination of a file of trades. */
export interface Sink {
  write(part: string | Uint8Array): Promise<void>;
  /** The output is complete. */
  finish(): Promise<void>;
  /** The output is useless. */
  abandon(): Promise<void>;
}

/** The reader of a pipe stopped early. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

/** A file that is renamed from `FILE.part` once it is complete. */
export async function fileSink(path: string): Promise<Sink> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) throw new UsageError(`${path} already exists; remove it, or name another file`);
  const part = `${path}.part`;
  const file: FileHandle = await open(part, 'w');
  return {
    async write(bytes) {
      await file.writeFile(bytes);
    },
    async finish() {
      await file.sync();
      await file.close();
      await rename(part, path);
    },
    async abandon() {
      await file.close();
      await rm(part, { force: true });
    },
  };
}

/** A pipe. A part counts as written when the other end has room for more. */
export function streamSink(stream: Writable): Sink {
  let failure: NodeJS.ErrnoException | undefined;
  stream.on('error', (error) => {
    failure = error;
  });
  return {
    write: (part) =>
      new Promise((resolve, reject) => {
        const settle = (error?: NodeJS.ErrnoException | null): void => {
          const reason = error ?? failure;
          if (!reason) resolve();
          else reject(reason.code === 'EPIPE' ? new ReaderGone(reason.message) : reason);
        };
        stream.write(part, settle);
      }),
    finish: async () => undefined,
    abandon: async () => undefined,
  };
}
