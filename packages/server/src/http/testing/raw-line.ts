import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { vi } from 'vitest';
import type { TestApi } from '../../api/testing/test-api.ts';

export const LONG_MS = 10_000;

/** Connections of the test, to be closed after it. */
export const lines: RawLine[] = [];

/** A raw connection. */
export class RawLine {
  text = '';
  isClosed = false;
  readonly socket: Socket;

  static async open({ port }: TestApi, localAddress = '127.0.0.1'): Promise<RawLine> {
    const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
    const line = new RawLine(socket);
    lines.push(line);
    await once(socket, 'connect');
    return line;
  }

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (part: Buffer) => {
      this.text += part.toString('latin1');
    });
    socket.on('end', () => {
      this.isClosed = true;
    });
    socket.on('close', () => {
      this.isClosed = true;
    });
    // A client that is cut off while it writes gets an error.
    socket.on('error', () => undefined);
  }

  get statuses(): readonly string[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status = '']) => status);
  }

  async closed(): Promise<void> {
    await vi.waitUntil(() => this.isClosed, { timeout: LONG_MS });
  }
}
