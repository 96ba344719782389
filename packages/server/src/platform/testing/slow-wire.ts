import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A connection to a loopback server that can hold back data, and deliver it after the sender has gone. */
export class SlowWire {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #held: { readonly service: Socket; readonly part: Buffer }[] | undefined;

  static async open(port: number): Promise<SlowWire> {
    const wire = new SlowWire(port);
    wire.#server.listen(0, '127.0.0.1');
    await once(wire.#server, 'listening');
    return wire;
  }

  private constructor(port: number) {
    this.#server = createServer((client) => {
      const service = connect(port, '127.0.0.1');
      for (const socket of [client, service]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
      }
      client.on('data', (part) => {
        if (this.#held) this.#held.push({ service, part });
        else service.write(part);
      });
      service.on('data', (part) => {
        if (client.writable) client.write(part);
      });
    });
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on nothing that is sent arrives. */
  hold(): void {
    this.#held = [];
  }

  /** Stops holding. Returns a function that delivers the held data and resolves when it is answered. */
  pass(): () => Promise<void> {
    const held = this.#held ?? [];
    this.#held = undefined;
    return async () => {
      for (const { service, part } of held) {
        const answered = once(service, 'data');
        service.write(part);
        await answered;
      }
    };
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
