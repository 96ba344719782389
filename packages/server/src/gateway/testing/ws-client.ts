import { decode, encode } from '@msgpack/msgpack';
import { vi } from 'vitest';
import { WebSocket } from 'ws';

/** A frame of the server. */
export type Frame = Readonly<Record<string, unknown>> & { readonly type: string };

const LAST_BYTES = 4;

/** A third-party client: `ws` for the socket, `@msgpack/msgpack` for binary frames. */
export class WsClient {
  readonly ws: WebSocket;
  readonly frames: Frame[] = [];
  /** The close code and reason. */
  closed: { readonly code: number; readonly reason: string } | undefined;
  /** Which of the frames were binary. */
  readonly binaries: boolean[] = [];
  /** The bytes of each frame. */
  readonly bytes: Buffer[] = [];
  /** The last bytes received, whatever they were. */
  lastBytes = Buffer.alloc(0);
  pings = 0;

  static async open(port: number, path = '/ws/v1', headers: Record<string, string> = {}): Promise<WsClient> {
    const client = new WsClient(new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers }));
    await new Promise<void>((resolve, reject) => {
      client.ws.once('open', resolve);
      client.ws.once('error', reject);
    });
    return client;
  }

  private constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on('error', () => undefined);
    ws.once('upgrade', ({ socket }) => {
      socket.on('data', (bytes: Buffer) => {
        this.lastBytes = Buffer.concat([this.lastBytes, bytes]).subarray(-LAST_BYTES);
      });
    });
    ws.on('ping', () => {
      this.pings += 1;
    });
    ws.on('message', (data: Buffer, isBinary: boolean) => {
      this.binaries.push(isBinary);
      this.bytes.push(data);
      this.frames.push((isBinary ? decode(data) : JSON.parse(data.toString())) as Frame);
    });
    ws.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
  }

  send(frame: object): void {
    this.ws.send(JSON.stringify(frame));
  }

  sendBinary(frame: object): void {
    this.ws.send(encode(frame));
  }

  of(type: string): readonly Frame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  /** The data frames of a channel. */
  data(
    channel: string,
  ): readonly (Frame & { readonly seq: number; readonly payload: Record<string, unknown> })[] {
    return this.frames.filter((frame) => frame.type === 'data' && frame.channel === channel) as never;
  }

  /** Waits until a condition on the received frames is met. */
  async until(holds: () => boolean, timeout = 5_000): Promise<void> {
    await vi.waitUntil(holds, { timeout, interval: 2 });
  }

  /** Sends a frame and waits for the answer with its id. */
  async ask(frame: Record<string, unknown> & { readonly id: string | number }): Promise<Frame> {
    const before = this.frames.length;
    const answer = (): Frame | undefined => this.frames.slice(before).find(({ id }) => id === frame.id);
    this.send(frame);
    await this.until(() => answer() !== undefined || this.closed !== undefined);
    return answer() as Frame;
  }

  async end(): Promise<void> {
    this.ws.terminate();
    await this.until(() => this.closed !== undefined);
  }
}
