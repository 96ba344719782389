import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FilePart, sendFilePart } from './file-part.ts';
import { type PaceOptions, sendPaced } from './paced-body.ts';

export interface StreamedParts {
  readonly status: number;
  /** Name, value, name, value: everything but the quota. */
  readonly headers: readonly string[];
  /** Absent: no body. Called once, and not for HEAD. */
  readonly open?: () => Readable | FilePart;
  /** What the body is read from, if that is in memory: counted once, however many clients are sent it. */
  readonly memory?: Uint8Array;
  /** Whether the body is events as they happen: it may be silent for long, and bounds what waits to be sent itself. */
  readonly isEvents?: boolean;
}

/** A response whose body is made or read while it is sent, as fast as the client takes it. */
export class Streamed {
  readonly parts: StreamedParts;

  constructor(parts: StreamedParts) {
    this.parts = parts;
  }
}

export interface StreamedOptions extends PaceOptions {
  /** Name, value, name, value: those of the quota. */
  readonly headers: readonly string[];
  /** The body cannot be made. The connection is closed, so that a client never takes a part for the whole. */
  readonly onFault: (error: unknown) => void;
}

/** Returns the status. */
export function writeStreamed(
  request: IncomingMessage,
  response: ServerResponse,
  { parts: { status, headers, open, memory, isEvents = false } }: Streamed,
  { headers: quota, onFault, ...pace }: StreamedOptions,
): number {
  response.writeHead(status, headers.concat(quota));
  if (request.method === 'HEAD' || !open) {
    response.end();
    return status;
  }
  const stream = open();
  if (stream instanceof FilePart) {
    sendFilePart(stream, response, { onFault, ...pace });
    return status;
  }
  let isGone = false;
  response.once('close', () => {
    isGone = true;
  });
  // A client that goes away, or is cut off, is no fault of ours.
  stream.once('error', (error) => {
    if (!isGone) onFault(error);
  });
  if (isEvents) response.flushHeaders();
  const sent = isEvents ? pipeline(stream, response) : sendPaced({ stream, memory }, response, pace);
  sent.catch(() => response.destroy());
  return status;
}
