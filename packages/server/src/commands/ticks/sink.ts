import { access, type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { UsageError } from '../../settings/read-settings.ts';

/** Where a file of trades goes, piece by piece. */
export interface Sink {
  write(part: string | Uint8Array): Promise<void>;
  /** What is written is whole. */
  finish(): Promise<void>;
  /** What is written is of no use. */
  abandon(): Promise<void>;
}

/** The reader of a pipe may stop early. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

/** A file that has its name only once it is whole; until then it is called `FILE.part`. */
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
