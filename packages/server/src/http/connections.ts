import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@crosstape/core';
import { callerOf, networkOf, peerAddress, type TrustProxy } from '../platform/client-address.ts';
import { Failure } from '../platform/errors.ts';
import { TokenBucket } from '../platform/token-bucket.ts';
import { endWithFailure } from './client-error.ts';
import type { UnreadBudget } from './unread-budget.ts';

/** Connections of all callers, and by default of one address. */
const CONNECTIONS_MAX = 20_000;
const CONNECTIONS_PER_ADDRESS = 2_000;
/** Addresses of one network (IPv6 /48, IPv4 /24) share a quarter of all connections. */
const NETWORK_SHARE = 4;
/** New connections per second of an address, after an initial burst of as many as it may have. */
const CONNECTIONS_PER_SECOND = 50;
/** Cost of a connection that was closed for abuse, in connections. */
const ABUSE_COST = 200;
/**
 * A connection over the rate stays open, unread, for this long: a flood that connects again as soon as it is closed would
 * keep the event loop accepting. Beyond the bound connections are closed at once.
 */
const HELD_MS = 5_000;
const HELD_MAX = 512;
/** Pipelined requests per connection. */
const PIPELINED_MAX = 64;
/** Memory of a request that waits for its turn, and of each header name and value that Node keeps apart. */
const WAITING_BYTES = 16_384;
const HEADER_TEXT_BYTES = 32;
/** Requests over quota on one connection before it is closed, and how many more it may send per second. */
const REFUSED_MAX = 32;
const REFUSED_PER_SECOND = 0.5;
/**
 * Requests over quota of all callers that are answered at once, and per second after that. Others are answered later: a
 * flood that waits for each answer is slowed down, and costs no more than a timer.
 */
const REFUSALS_AT_ONCE = 500;
const REFUSALS_PER_SECOND = 200;
const REFUSAL_DELAY_MS = 500;
const DELAYED_MAX = 1_000;
/** Addresses and networks that are tracked; beyond this those without connections are dropped. */
const ORIGINS_MAX = 100_000;
/** A slot depends on other connections; this is not too soon. */
const RETRY_AFTER_SECONDS = 5;

export interface ConnectionsOptions {
  readonly clock: Clock;
  readonly budget: Pick<UnreadBudget, 'hold'>;
  /** Source label of failures. */
  readonly source: string;
  readonly perAddressMax?: number | undefined;
  readonly trustProxy: TrustProxy;
}

/** An address or network: its open connections, and how fast it may open more. */
interface Origin {
  readonly sockets: Set<Socket>;
  readonly bucket: TokenBucket;
}

/** State of a connection that pipelines or was refused. */
interface Conduct {
  /** Requests that wait until earlier ones are answered. */
  readonly waiting: Set<IncomingMessage>;
  /** Whether the bytes of these count as unread. */
  isCounted: boolean;
  refused: TokenBucket | undefined;
}

/**
 * Limits what one address, network and connection may do. Behind proxies every peer is a proxy, which has its own
 * limits: there only the limits of a single connection apply.
 */
export class Connections {
  readonly #clock: Clock;
  readonly #budget: Pick<UnreadBudget, 'hold'>;
  readonly #source: string;
  readonly #perAddressMax: number;
  readonly #origins = new Map<string, Origin>();
  readonly #conducts = new WeakMap<Socket, Conduct>();
  readonly #held = new Set<Socket>();
  readonly #refusals: TokenBucket;
  readonly #isDirect: boolean;
  #delayed = 0;

  constructor({ clock, budget, source, perAddressMax, trustProxy }: ConnectionsOptions) {
    this.#clock = clock;
    this.#budget = budget;
    this.#source = source;
    this.#perAddressMax = perAddressMax ?? CONNECTIONS_PER_ADDRESS;
    this.#isDirect = trustProxy === false || trustProxy === 0;
    this.#refusals = new TokenBucket({ clock, capacity: REFUSALS_AT_ONCE, perSecond: REFUSALS_PER_SECOND });
  }

  /** Decides about every connection before the server creates a parser for it. */
  guard(server: Server): void {
    server.maxConnections = CONNECTIONS_MAX;
    if (!this.#isDirect) return;
    const listeners = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      this.#accept(socket, () => {
        for (const listener of listeners) Reflect.apply(listener, server, [socket]);
      });
    });
  }

  /** Closes connections that a server does not track. */
  stop(): void {
    for (const socket of this.#held) socket.destroy();
  }

  /**
   * Serves a request when its answer can be sent: until then Node would keep the answer in memory. Requests that wait
   * count as unread bytes. Those of a closed connection are not served.
   */
  takeRequest(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const { socket } = request;
    // Node parses the rest of its input even after the connection was closed.
    if (socket.destroyed) return;
    // A response that has its socket does not wait for another.
    if (response.socket !== null) return serve();
    const conduct = this.#conductOf(socket);
    const { waiting } = conduct;
    if (waiting.size >= PIPELINED_MAX) return this.#closeForAbuse(socket);
    if (!conduct.isCounted) this.#count(socket, conduct);
    waiting.add(request);
    response.once('socket', () => {
      waiting.delete(request);
      if (!socket.destroyed) serve();
    });
  }

  /**
   * For a body that may be endless: its connection ends with the answer, and counts as closed for abuse if the body has
   * not ended by then. Each part of one byte costs microseconds, and a flood of them would connect again at once.
   */
  watchBody(request: IncomingMessage, response: ServerResponse): void {
    response.once('finish', () => {
      if (!request.complete) this.charge(request.socket);
    });
  }

  /** Counts a request over quota. True if the connection must end with this answer. */
  takeRefused({ socket }: IncomingMessage): boolean {
    // A proxy would only reconnect, which costs more than the answer.
    if (!this.#isDirect) return false;
    const clock = this.#clock;
    const conduct = this.#conductOf(socket);
    conduct.refused ??= new TokenBucket({ clock, capacity: REFUSED_MAX, perSecond: REFUSED_PER_SECOND });
    if (conduct.refused.take()) return false;
    this.charge(socket);
    return true;
  }

  /** Answers a request over quota, later if there are too many. */
  answerRefused(answer: () => void): void {
    if (this.#refusals.take() || this.#delayed >= DELAYED_MAX) return answer();
    this.#delayed += 1;
    this.#clock.after(REFUSAL_DELAY_MS, () => {
      this.#delayed -= 1;
      answer();
    });
  }

  /** Counts a connection that is closed for abuse. An address that runs out of allowance loses all its connections. */
  charge(socket: Socket): void {
    if (!this.#isDirect) return;
    const address = callerOf(peerAddress(socket));
    this.#origins.get(networkOf(address))?.bucket.charge(ABUSE_COST);
    const origin = this.#origins.get(address);
    if (!origin || origin.bucket.charge(ABUSE_COST)) return;
    for (const one of origin.sockets) one.destroy();
  }

  #accept(socket: Socket, serve: () => void): void {
    const perAddressMax = this.#perAddressMax;
    const address = callerOf(peerAddress(socket));
    const network = networkOf(address);
    const bounds = [
      { name: address, max: perAddressMax, what: 'address' },
      { name: network, max: Math.max(perAddressMax, CONNECTIONS_MAX / NETWORK_SHARE), what: 'network' },
    ];
    const origins = bounds.map(({ name, max }) => this.#originOf(name, max));
    // No answer: writing one is what the flood aims at.
    if (!origins.every(({ bucket }) => bucket.take())) return this.#hold(socket);
    serve();
    const full = bounds.find(({ max }, i) => (origins[i]?.sockets.size ?? 0) >= max);
    if (full) {
      const text = `One ${full.what} may have ${full.max} connections open at a time.`;
      const failure = new Failure('rate_limited', text, { retryAfterSeconds: RETRY_AFTER_SECONDS });
      endWithFailure(socket, failure, { clock: this.#clock, source: this.#source });
      return;
    }
    for (const { sockets } of origins) sockets.add(socket);
    socket.once('close', () => {
      for (const { sockets } of origins) sockets.delete(socket);
    });
  }

  #hold(socket: Socket): void {
    if (this.#held.size >= HELD_MAX) {
      socket.destroy();
      return;
    }
    this.#held.add(socket);
    const timer = this.#clock.after(HELD_MS, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.once('close', () => {
      timer.cancel();
      this.#held.delete(socket);
    });
  }

  #originOf(name: string, max: number): Origin {
    const known = this.#origins.get(name);
    if (known) return known;
    if (this.#origins.size >= ORIGINS_MAX) this.#forget();
    const clock = this.#clock;
    const capacity = Math.max(CONNECTIONS_PER_ADDRESS, max);
    const bucket = new TokenBucket({ clock, capacity, perSecond: CONNECTIONS_PER_SECOND });
    const origin = { sockets: new Set<Socket>(), bucket };
    this.#origins.set(name, origin);
    return origin;
  }

  #forget(): void {
    for (const [name, { sockets }] of this.#origins) if (sockets.size === 0) this.#origins.delete(name);
  }

  #conductOf(socket: Socket): Conduct {
    const known = this.#conducts.get(socket);
    if (known) return known;
    const conduct: Conduct = { waiting: new Set(), isCounted: false, refused: undefined };
    this.#conducts.set(socket, conduct);
    return conduct;
  }

  /** From its first waiting request on, an open connection is in the budget of unread bytes. */
  #count(socket: Socket, conduct: Conduct): void {
    conduct.isCounted = true;
    const release = this.#budget.hold({
      socket,
      cut: () => socket.destroy(),
      get bytes() {
        return [...conduct.waiting].reduce((sum, request) => sum + bytesOf(request), 0);
      },
    });
    socket.once('close', release);
  }

  #closeForAbuse(socket: Socket): void {
    this.charge(socket);
    socket.destroy();
  }
}

function bytesOf({ rawHeaders, readableLength }: IncomingMessage): number {
  return WAITING_BYTES + rawHeaders.length * HEADER_TEXT_BYTES + readableLength;
}
