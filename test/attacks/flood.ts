import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { vi } from 'vitest';

/** Each attacker has its own network, so that limits on one spare the next; other callers come from 127.0.0.1. */
let attackers = 0;

/** Connections that send the same bytes as fast as they are read, and connect again when they are closed. */
export class Flood {
  /** Connections that the service has closed. */
  closed = 0;
  readonly #port: number;
  readonly #opening: string;
  readonly #bytes: Buffer;
  readonly #address = `127.1.${(attackers += 1)}.9`;
  readonly #sockets = new Set<Socket>();
  #isOver = false;

  constructor(
    url: string,
    { connections, opening = '', bytes }: { connections: number; opening?: string; bytes: Buffer },
  ) {
    this.#port = Number(new URL(url).port);
    this.#opening = opening;
    this.#bytes = bytes;
    for (let i = 0; i < connections; i += 1) this.#connect();
  }

  get open(): number {
    return this.#sockets.size;
  }

  stop(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(): void {
    const socket = connect({ port: this.#port, host: '127.0.0.1', localAddress: this.#address });
    this.#sockets.add(socket);
    const pour = (): void => {
      while (!socket.destroyed && socket.write(this.#bytes));
    };
    socket.on('error', () => undefined);
    socket.on('drain', pour);
    socket.resume();
    socket.once('connect', () => {
      socket.write(this.#opening);
      pour();
    });
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.closed += 1;
      if (!this.#isOver) this.#connect();
    });
  }
}

/** Waits until the service has started everything. */
export async function ready(url: string): Promise<void> {
  const isReady = async (): Promise<boolean> => (await fetch(`${url}/readyz`)).status === 200;
  await vi.waitUntil(isReady, { timeout: 60_000, interval: 200 });
}

/** How long each of `count` requests takes, in milliseconds. */
export async function delays(url: string, count: number): Promise<{ p50: number; p99: number }> {
  const taken: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const startedMs = performance.now();
    const response = await fetch(url);
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${url} returned ${response.status}`);
    taken.push(performance.now() - startedMs);
  }
  taken.sort((a, b) => a - b);
  const at = (share: number): number => taken[Math.floor(share * (count - 1))] as number;
  return { p50: at(0.5), p99: at(0.99) };
}
