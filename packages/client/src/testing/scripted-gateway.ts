import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Script } from './scripted-server.ts';

/** A frame of the client or the gateway. */
export type Frame = Readonly<Record<string, unknown>>;

/** A gateway with scripted answers, over real sockets. */
export class ScriptedGateway {
  /** In order of opening. */
  readonly sockets: WebSocket[] = [];
  /** Client frames except `auth`, with the number of their socket. */
  readonly asked: (Frame & { readonly socket: number })[] = [];
  readonly requests: string[] = [];
  readonly #server = createServer((request, response) => {
    this.requests.push(request.url ?? '');
    this.#request?.(request, response);
  });
  readonly #request: Script | undefined;

  static async open(
    answer: (frame: Frame, socket: number) => readonly Frame[],
    request?: Script,
  ): Promise<ScriptedGateway> {
    const gateway = new ScriptedGateway(answer, request);
    gateway.#server.listen(0, '127.0.0.1');
    await once(gateway.#server, 'listening');
    return gateway;
  }

  private constructor(answer: (frame: Frame, socket: number) => readonly Frame[], request?: Script) {
    this.#request = request;
    new WebSocketServer({ server: this.#server }).on('connection', (ws) => {
      const socket = this.sockets.length;
      this.sockets.push(ws);
      ws.on('message', (data: Buffer) => {
        const frame = JSON.parse(data.toString()) as Frame;
        if (frame.op !== 'auth') this.asked.push({ ...frame, socket });
        for (const { close, ...reported } of answer(frame, socket)) {
          if (close === undefined) ws.send(JSON.stringify(reported));
          else ws.close(close as number);
        }
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  send(...frames: readonly Frame[]): void {
    for (const frame of frames) this.sockets.at(-1)?.send(JSON.stringify(frame));
  }

  close(): void {
    for (const ws of this.sockets) ws.terminate();
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
