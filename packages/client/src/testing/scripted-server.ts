import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Script = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers the nth request with the nth answer; the last one repeats. */
export class ScriptedServer {
  readonly requests: IncomingMessage[] = [];
  readonly #server: Server;

  static async open(scripts: readonly Script[]): Promise<ScriptedServer> {
    const scripted = new ScriptedServer(scripts);
    scripted.#server.listen(0, '127.0.0.1');
    await once(scripted.#server, 'listening');
    return scripted;
  }

  private constructor(scripts: readonly Script[]) {
    this.#server = createServer((request, response) => {
      const script = scripts[Math.min(this.requests.length, scripts.length - 1)];
      this.requests.push(request);
      script?.(request, response);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Script {
  return (_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Events, each as `[name, id, data]`; then the connection ends, breaks, or stays open and silent. */
export function events(
  list: readonly (readonly [name: string, id: number, data: object])[],
  then: 'end' | 'break' | 'silence',
): Script {
  return (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const text = list.map(
      ([name, id, data]) => `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`,
    );
    response.write(text.join(''), () => {
      if (then === 'end') response.end();
      if (then === 'break') response.socket?.resetAndDestroy();
    });
  };
}
