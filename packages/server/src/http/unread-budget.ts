import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '@crosstape/core';
import { callerOf, peerAddress, type TrustProxy } from '../platform/client-address.ts';

/** Unread bytes of clients, over all connections. */
const BYTES_MAX = 256 * 2 ** 20;
/** When it is exceeded, clients are cut off until this share is left. */
const LEFT_SHARE = 0.75;
const CHECK_EVERY_MS = 1_000;

/** Unread bytes of one connection. */
export interface Unread {
  readonly bytes: number;
  /** Absent: not that of one client. */
  readonly socket?: Pick<Socket, 'remoteAddress'> | null | undefined;
  /** Closes the connection. */
  cut(): void;
}

export interface UnreadBudgetOptions {
  readonly clock: Clock;
  readonly bytesMax?: number;
  /** Behind proxies a peer speaks for many callers. Default: the peer is the caller. */
  readonly trustProxy?: TrustProxy;
}

/** What one caller has not read. */
interface Share {
  bytes: number;
  /** The smallest first. */
  readonly connections: Unread[];
}

/**
 * One budget for all unread data: answers, event streams and WebSockets. When it is exceeded, the callers with the most
 * unread bytes lose connections first, the largest one of each: many small ones must not crowd out another's large one.
 */
export class UnreadBudget {
  readonly #bytesMax: number;
  readonly #isDirect: boolean;
  readonly #sources: (() => Iterable<Unread>)[] = [];
  readonly #held = new Set<Unread>();
  /** By shared memory: functions that close the connections of its clients. */
  readonly #shared = new Map<Uint8Array, Set<() => void>>();
  readonly #timer: Timer;
  #cut = 0;

  constructor({ clock, bytesMax = BYTES_MAX, trustProxy = false }: UnreadBudgetOptions) {
    this.#bytesMax = bytesMax;
    this.#isDirect = trustProxy === false;
    this.#sources.push(
      () => this.#held,
      () => this.#sharedUnread(),
    );
    this.#timer = clock.every(CHECK_EVERY_MS, () => this.check());
  }

  /** Connections that were cut off. */
  get cut(): number {
    return this.#cut;
  }

  get bytes(): number {
    let sum = 0;
    for (const source of this.#sources) for (const { bytes } of source()) sum += bytes;
    return sum;
  }

  /** Adds a source of connections that is counted at each check. */
  add(source: () => Iterable<Unread>): void {
    this.#sources.push(source);
  }

  /** Counts unread bytes in the sockets of a server. */
  watch(server: Server): void {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    this.add(function* unread() {
      for (const socket of sockets) {
        const bytes = socket.writableLength;
        if (bytes > 0) yield { bytes, socket, cut: () => socket.resetAndDestroy() };
      }
    });
  }

  /** Counts bytes until they are released. */
  hold(held: Unread): () => void {
    this.#held.add(held);
    return () => this.#held.delete(held);
  }

  /** Counts bytes once for all clients that get them, until the last one releases them. */
  share(memory: Uint8Array, cut: () => void): () => void {
    const readers = this.#shared.get(memory) ?? new Set();
    this.#shared.set(memory, readers);
    const own = (): void => cut();
    readers.add(own);
    return () => {
      readers.delete(own);
      if (readers.size === 0) this.#shared.delete(memory);
    };
  }

  check(): void {
    let { bytes } = this;
    if (bytes <= this.#bytesMax) return;
    const shares = this.#sharesOf(this.#sources.flatMap((source) => [...source()]));
    while (bytes > this.#bytesMax * LEFT_SHARE) {
      const largest = shares.reduce((most, share) => (share.bytes > most.bytes ? share : most));
      const one = largest.connections.pop();
      if (!one) return;
      const { bytes: cutBytes } = one;
      bytes -= cutBytes;
      largest.bytes -= cutBytes;
      this.#cut += 1;
      one.cut();
    }
  }

  #sharesOf(unread: readonly Unread[]): readonly Share[] {
    const shares = new Map<unknown, Share>();
    for (const one of unread.toSorted((a, b) => a.bytes - b.bytes)) {
      const caller = this.#isDirect && one.socket ? callerOf(peerAddress(one.socket)) : one;
      const share = shares.get(caller) ?? { bytes: 0, connections: [] };
      share.bytes += one.bytes;
      share.connections.push(one);
      shares.set(caller, share);
    }
    return [...shares.values()];
  }

  stop(): void {
    this.#timer.cancel();
  }

  *#sharedUnread(): Generator<Unread> {
    for (const [memory, readers] of this.#shared) {
      const cut = (): void => {
        for (const one of readers) one();
      };
      yield { bytes: memory.length, cut };
    }
  }
}
