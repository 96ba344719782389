import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FilePart, sendFilePart } from './file-part.ts';
import { type PaceOptions, sendPaced } from './paced-body.ts';

export interface StreamedParts {
  readonly status: number;
  /** Name, value, name, value: all except quota headers. */
  readonly headers: readonly string[];
  /** Absent: no body. Called once, and not for HEAD. */
  readonly open?: () => Readable | FilePart;
  /** The body's memory, if it is in memory: counted once for all clients that get it. */
  readonly memory?: Uint8Array;
  /** Bytes of the body that wait for the client outside of the stream. */
  readonly heldBytes?: () => number;
  /** Whether the body is a live event stream: it may be silent for long, and limits its own queue. */
  readonly isEvents?: boolean;
}

/** A response whose body is produced while it is sent, at the client's pace. */
export class Streamed {
  readonly parts: StreamedParts;

  constructor(parts: StreamedParts) {
    this.parts = parts;
  }
}

export interface StreamedOptions extends PaceOptions {
  /** Name, value, name, value: quota headers. */
  readonly headers: readonly string[];
  /**
   * Called when the body cannot be produced. The connection is closed, so that a client never takes a part for the
   * whole.
   */
  readonly onFault: (error: unknown) => void;
}

/** Returns the status. */
export function writeStreamed(
  request: IncomingMessage,
  response: ServerResponse,
  { parts: { status, headers, open, memory, heldBytes, isEvents = false } }: Streamed,
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
  // A client that disconnects or is cut off is not a fault of the service.
  stream.once('error', (error) => {
    if (!isGone) onFault(error);
  });
  if (isEvents) response.flushHeaders();
  const sent = isEvents
    ? pipeline(stream, response)
    : sendPaced({ stream, memory, heldBytes }, response, pace);
  sent.catch(() => response.destroy());
  return status;
}
