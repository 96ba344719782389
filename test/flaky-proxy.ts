import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { ownAddress } from './own-address.ts';

/** A wire between clients and the service that a test can cut or freeze. To the service they have their own address. */
export class FlakyProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [client: Socket, service: Socket]>();
  #isFrozen = false;
  connections = 0;

  static async open(target: string): Promise<FlakyProxy> {
    const proxy = new FlakyProxy(Number(new URL(target).port));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(port: number) {
    const localAddress = ownAddress();
    this.#server = createServer((client) => {
      this.connections += 1;
      const service = connect({ port, host: '127.0.0.1', localAddress });
      const pair = [client, service] as const;
      this.#pairs.add(pair);
      const end = (): void => {
        this.#pairs.delete(pair);
        client.destroy();
        service.destroy();
      };
      for (const socket of pair) socket.on('error', end).on('close', end);
      client.pipe(service);
      service.on('data', (part: Buffer) => {
        if (this.#isFrozen) return;
        if (!client.write(part)) service.pause();
      });
      client.on('drain', () => service.resume());
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Breaks every connection in the middle of whatever it carries. */
  cut(): void {
    for (const [client] of this.#pairs) client.resetAndDestroy();
  }

  /** Connections stay open and say nothing: what the service sends meanwhile is lost with them. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Cuts what was frozen and lets new connections through. */
  thaw(): void {
    this.#isFrozen = false;
    this.cut();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}
