import { close, open, read } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { guardPace, PACED_BYTES_MIN as READ_BYTES, type PaceOptions } from './paced-body.ts';

/** Bytes `start <= i <= end` of a file. */
export class FilePart {
  readonly path: string;
  readonly start: number;
  readonly end: number;

  constructor(path: string, start: number, end: number) {
    this.path = path;
    this.start = start;
    this.end = end;
  }
}

/** Buffers to reuse: the first access to new memory costs as much as reading into it. */
const spare: Buffer[] = [];
const SPARE_MAX = 16;

/**
 * Sends a part of a file at the client's pace, without a stream, which would cost a third of the total. Closes the
 * connection if the file cannot be read, after `onFault`.
 */
export function sendFilePart(
  { path, start, end }: FilePart,
  response: ServerResponse,
  { onFault, ...pace }: PaceOptions & { readonly onFault: (error: unknown) => void },
): void {
  // The client disconnected while the answer was made: no `close` event follows.
  if (response.destroyed) return;
  const guard = guardPace(response, pace);
  let file: number | undefined;
  let isReading = true;
  const closeFile = (): void => {
    if (file !== undefined) close(file, () => undefined);
    file = undefined;
  };
  response.once('close', () => {
    guard.end();
    if (!isReading) closeFile();
  });
  const fail = (error: unknown): void => {
    closeFile();
    onFault(error);
    response.destroy();
  };
  let at = start;
  const next = (fd: number): void => {
    // Closed meanwhile: the descriptor may belong to another file by now.
    if (file !== fd) return;
    isReading = true;
    const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(READ_BYTES);
    read(fd, buffer, 0, Math.min(READ_BYTES, end + 1 - at), at, (error, bytes) => {
      isReading = false;
      if (response.destroyed) return closeFile();
      if (error || bytes === 0) return fail(error ?? new Error(`${path} ends before byte ${end + 1}`));
      at += bytes;
      guard.take(bytes);
      const part = bytes === READ_BYTES ? buffer : buffer.subarray(0, bytes);
      const isLast = at > end;
      if (isLast) closeFile();
      const isTaken = response.write(part, (failed) => {
        if (!failed && spare.length < SPARE_MAX) spare.push(buffer);
      });
      if (isLast) response.end();
      else if (isTaken) next(fd);
      else response.once('drain', () => next(fd));
    });
  };
  open(path, 'r', (error, fd) => {
    isReading = false;
    if (error) return fail(error);
    file = fd;
    if (response.destroyed) closeFile();
    else next(fd);
  });
}
