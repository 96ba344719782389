import { once } from 'node:events';
import { WebSocket } from 'ws';

/** A client's socket that keeps every frame it was sent, for tests. */
export class RecordedSocket {
  readonly frames: string[] = [];
  /** Close code or error, once the socket has closed. */
  end: string | undefined;
  pongs = 0;
  readonly #socket: WebSocket;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.#socket = new WebSocket(url, { headers });
    this.#socket.on('message', (data: Buffer) => this.frames.push(data.toString('utf8')));
    this.#socket.on('pong', () => {
      this.pongs += 1;
    });
    this.#socket.on('error', (error) => {
      this.end ??= error.message;
    });
    this.#socket.on('close', (code) => {
      this.end ??= String(code);
    });
  }

  /** Opens a socket to a simulated venue. */
  static async open(
    simulatorUrl: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RecordedSocket> {
    const socket = new RecordedSocket(`${simulatorUrl.replace('http', 'ws')}${path}`, headers);
    await once(socket.#socket, 'open');
    return socket;
  }

  send(frame: unknown): void {
    this.#socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  ping(): void {
    this.#socket.ping();
  }

  subscribe(subscription: Readonly<Record<string, unknown>>): void {
    this.send({ method: 'subscribe', subscription });
  }

  /** The data of every frame of a channel, in order; frames that are not JSON are passed over. */
  data<Data = unknown>(channel: string): Data[] {
    return this.frames.flatMap((frame): Data[] => {
      if (!frame.startsWith('{')) return [];
      const parsed: { channel: string; data: Data } = JSON.parse(frame);
      return parsed.channel === channel ? [parsed.data] : [];
    });
  }

  close(): void {
    this.#socket.close();
  }
}
