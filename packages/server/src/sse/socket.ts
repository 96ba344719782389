import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@crosstape/core';
import { corsHeaders } from '../http/answer.ts';

/** A client with more unread bytes is cut off. */
const UNREAD_BYTES_MAX = 4 * 1_048_576;
/** How long an ended stream may take to reach its client. */
const ENDING_MS_MAX = 5_000;

const streamHeaders: readonly string[] = [
  'Content-Type',
  'text/event-stream; charset=utf-8',
  'Cache-Control',
  'no-store',
  // Keeps proxies from buffering the answer.
  'X-Accel-Buffering',
  'no',
  ...corsHeaders,
];

export interface SseSocketOptions {
  readonly clock: Clock;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  /** Called when a client is cut off. */
  readonly onCut: () => void;
}

/**
 * The connection to one client. The body ends with the connection instead of being chunked, so that the same bytes can
 * be written directly to every socket.
 */
export class SseSocket {
  readonly #options: SseSocketOptions;
  readonly #socket: Socket;
  #isOpen = true;

  constructor(options: SseSocketOptions) {
    const { request, response, headers } = options;
    this.#options = options;
    this.#socket = request.socket;
    this.#socket.setTimeout(0);
    this.#socket.once('close', () => {
      this.#isOpen = false;
    });
    response.useChunkedEncodingByDefault = false;
    response.writeHead(200, [...streamHeaders, ...headers]);
    response.flushHeaders();
  }

  /** False once it is ended, cut or closed: then nothing is written. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isFull(): boolean {
    return this.#socket.writableNeedDrain;
  }

  write(bytes: Uint8Array | string): void {
    if (!this.#isOpen) return;
    this.#socket.write(bytes);
    if (this.#socket.writableLength > UNREAD_BYTES_MAX) this.cut();
  }

  onceDrained(listener: () => void): void {
    this.#socket.once('drain', listener);
  }

  end(lastWords: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { clock, response } = this.#options;
    if (lastWords !== '') this.#socket.write(lastWords);
    const timer = clock.after(ENDING_MS_MAX, () => this.#socket.destroy());
    this.#socket.once('close', () => timer.cancel());
    response.end();
  }

  /** Closes with a reset, so that the system frees unread data at once. */
  cut(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#options.onCut();
    this.#socket.resetAndDestroy();
  }
}
