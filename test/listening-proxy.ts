import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { ownAddress } from './own-address.ts';

const API = '/api/v1';
/** Addresses whose answers are remembered; a page asks a dozen. */
const RESPONSES_MAX = 200;
/** Status by code of a refusal. */
const refusals = { internal: 500, not_found: 404 } as const;
export type RefusalCode = keyof typeof refusals;

/** A wire between a browser and the service that remembers what was answered last: it is what the page has to show. */
export class ListeningProxy {
  readonly #server: Server;
  readonly #target: URL;
  /** Of the browser, as the service sees it. */
  #address = ownAddress();
  readonly #responses = new Map<string, string>();
  readonly #sockets = new Set<Socket>();
  /** Addresses that are refused, without the start of all addresses of the API. */
  refused: RegExp | undefined;
  refusal: RefusalCode = 'internal';

  static async open(target: string): Promise<ListeningProxy> {
    const proxy = new ListeningProxy(new URL(target));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((asked, answered) => this.#pass(asked, answered));
    this.#server.on('upgrade', (asked, client: Socket, head) => this.#join(asked, client, head));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sockets of the browser that are open. */
  get openSockets(): number {
    return this.#sockets.size / 2;
  }

  /** The `data` that a page was answered last at such an address: `answerTo(/^\/perps\/oi\?coins=/)`. */
  answerTo<Data>(address: RegExp): Data {
    const found = [...this.#responses].findLast(([one]) => address.test(one));
    if (!found)
      throw new Error(`no page has requested ${address}, only ${[...this.#responses.keys()].join(' ')}`);
    return (JSON.parse(found[1]) as { data: Data }).data;
  }

  /** To the service, visitors from now on are other callers, with limits of their own. */
  changeAddress(): void {
    this.#address = ownAddress();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Uncompressed, so that it can be read on its way. */
  #pass(asked: IncomingMessage, answered: ServerResponse): void {
    const { method, url = '/' } = asked;
    if (url.startsWith(API) && this.refused?.test(url.slice(API.length))) {
      const code = this.refusal;
      answered.writeHead(refusals[code], { 'content-type': 'application/json' });
      answered.end(JSON.stringify({ error: 'Refused by the test.', data: null, meta: { code } }));
      return;
    }
    const headers = { ...asked.headers, host: this.#target.host, 'accept-encoding': 'identity' };
    const onward = request(
      new URL(url, this.#target),
      { method, headers, localAddress: this.#address },
      (answer) => {
        answered.writeHead(answer.statusCode ?? 502, answer.headers);
        // What a test itself asks is nothing that a page shows.
        const isPage = asked.headers['sec-fetch-site'] !== undefined;
        const isKept =
          isPage && answer.statusCode === 200 && answer.headers['content-type']?.includes('json');
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => {
          if (isKept) parts.push(part);
          answered.write(part);
        });
        answer.on('end', () => {
          if (isKept && url.startsWith(API)) this.#keep(decodeURIComponent(url.slice(API.length)), parts);
          answered.end();
        });
      },
    );
    onward.on('error', () => answered.destroy());
    answered.on('close', () => onward.destroy());
    asked.pipe(onward);
  }

  #keep(address: string, parts: readonly Buffer[]): void {
    this.#responses.delete(address);
    this.#responses.set(address, Buffer.concat(parts).toString());
    const [oldest] = this.#responses.keys();
    if (this.#responses.size > RESPONSES_MAX && oldest !== undefined) this.#responses.delete(oldest);
  }

  #join(asked: IncomingMessage, client: Socket, head: Buffer): void {
    const { port, hostname: host } = this.#target;
    const service = connect({ port: Number(port), host, localAddress: this.#address });
    for (const socket of [client, service]) {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    const end = (): void => {
      for (const socket of [client, service]) {
        this.#sockets.delete(socket);
        socket.destroy();
      }
    };
    client.on('close', end);
    service.on('close', end);
    const lines = asked.rawHeaders.flatMap((name, i, all) => (i % 2 === 0 ? [`${name}: ${all[i + 1]}`] : []));
    service.write(`${asked.method} ${asked.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    service.write(head);
    service.pipe(client);
    client.pipe(service);
  }
}
