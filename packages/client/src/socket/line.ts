import { type Timer, sleep } from '@crosstape/core';
import { backoffMs } from '../backoff.ts';
import type { Connection } from '../connection.ts';
import { Unreachable } from '../errors.ts';
import { type Asked, Following } from './following.ts';
import type { ServerFrame } from './frame-types.ts';
import { refill } from './refill.ts';
import { Subscription, topicOf } from './subscription.ts';

/** Heartbeats come every 15 s: whoever is silent for so long is gone. */
const SILENT_MAX_MS = 45_000;
/** After a subscription was refused for asking too often. */
const LIMITED_WAIT_MS = 60_000;
const UNAUTHORIZED = 4_401;

/** Why the gateway will not carry a subscription. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** As much of a WebSocket as is used: that of a browser, of Node 22, and of the package `ws` all have it. */
export interface SocketLike {
  binaryType: string;
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number }) => void): void;
}

export type SocketClass = new (url: string) => SocketLike;

export interface LineOptions {
  readonly WebSocket?: SocketClass | undefined;
  /** Reads msgpack; present, frames come in that format. */
  readonly msgpack?: ((bytes: Uint8Array) => unknown) | undefined;
}

/**
 * One socket for all subscriptions of a client: open while there are any, and opened again whenever it breaks. Readers
 * of the same topic share one subscription, wherever on the tape each of them stands.
 */
export class Line {
  readonly #connection: Connection;
  readonly #options: LineOptions;
  readonly #subscriptions = new Map<string, Subscription>();
  #socket: SocketLike | undefined;
  #silence: Timer | undefined;
  #heardMs = 0;
  #lastId = 0;
  #failures = 0;

  constructor(connection: Connection, options: LineOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === 1;
  }

  follow(asked: Asked): Following {
    const following = new Following(asked);
    const topic = topicOf(asked);
    if (!this.#socket) this.#open();
    const known = this.#subscriptions.get(topic);
    const subscription = known ?? new Subscription(asked);
    this.#subscriptions.set(topic, subscription);
    if (subscription.add(following, this.#connection.clock.now()) || this.#socket?.readyState !== 1)
      return following;
    if (known) this.#send(known.unsubscribeFrame((this.#lastId += 1)));
    this.#subscribe(subscription);
    return following;
  }

  leave(following: Following): void {
    const topic = topicOf(following.asked);
    const subscription = this.#subscriptions.get(topic);
    if (subscription?.readers.delete(following) && subscription.readers.size === 0) {
      this.#subscriptions.delete(topic);
      if (this.#socket?.readyState === 1) this.#send(subscription.unsubscribeFrame((this.#lastId += 1)));
    }
    following.mailbox.end();
    if (this.#subscriptions.size === 0) this.#close();
  }

  #subscribe(subscription: Subscription): void {
    this.#send(subscription.subscribeFrame((this.#lastId += 1)));
  }

  #open(): void {
    const { root, apiKey, clock } = this.#connection;
    const Socket: SocketClass | undefined = this.#options.WebSocket ?? globalThis.WebSocket;
    if (!Socket)
      throw new Error('This runtime has no WebSocket: give the client one, such as that of the package ws.');
    const socket = new Socket(`${root.replace(/^http/, 'ws')}/ws/v1`);
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      const format = this.#options.msgpack ? { format: 'msgpack' } : {};
      this.#send({ op: 'auth', ...(apiKey !== undefined && { apiKey }), ...format });
      for (const subscription of this.#subscriptions.values()) this.#subscribe(subscription);
    });
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket !== socket) return;
      this.#heard(socket);
      this.#failures = 0;
      this.#receive(this.#read(data));
    });
    // Its close follows, and tells more.
    socket.addEventListener('error', () => {});
    socket.addEventListener('close', ({ code }) => {
      if (this.#socket === socket) this.#lost(code);
    });
    this.#heardMs = clock.now();
    this.#heard(socket);
  }

  #heard(socket: SocketLike): void {
    const { clock } = this.#connection;
    this.#heardMs = clock.now();
    this.#silence?.cancel();
    this.#silence = clock.after(SILENT_MAX_MS, () => {
      if (this.#socket === socket) this.#lost();
    });
  }

  #read(data: unknown): ServerFrame {
    if (typeof data === 'string') return JSON.parse(data) as ServerFrame;
    return this.#options.msgpack?.(new Uint8Array(data as ArrayBuffer)) as ServerFrame;
  }

  #send(frame: object): void {
    this.#socket?.send(JSON.stringify(frame));
  }

  #receive(frame: ServerFrame): void {
    if (frame.type === 'ack') {
      if (frame.op === 'subscribe') this.#asked(frame.id)?.joined(frame.symbol, this.#connection.clock.now());
    } else if (frame.type === 'error') {
      this.#refused(this.#asked(frame.id), frame.code, frame.message);
    } else if (frame.type !== 'heartbeat' && 'channel' in frame) {
      for (const subscription of this.#subscriptions.values()) {
        if (!subscription.isOf(frame) || subscription.take(frame)) continue;
        // Cannot happen while the gateway keeps its word; if it does, nothing is lost by asking anew.
        this.#send(subscription.unsubscribeFrame((this.#lastId += 1)));
        this.#subscribe(subscription);
      }
    }
  }

  /** The subscription that a frame asked for; none when it has been asked for again since. */
  #asked(id: unknown): Subscription | undefined {
    return [...this.#subscriptions.values()].find((subscription) => subscription.id === id);
  }

  #refused(subscription: Subscription | undefined, code: string, message: string): void {
    if (!subscription) return;
    const { oldest } = subscription;
    if (code === 'rate_limited') this.#subscribeLater(subscription);
    else if (code === 'bad_request' && oldest) void this.#bringForward(subscription, oldest, message);
    else for (const one of subscription.readers) this.#fail(one, new GatewayError(code, message));
  }

  #subscribeLater(subscription: Subscription): void {
    this.#connection.clock.after(LIMITED_WAIT_MS, () => this.#subscribeAgain(subscription));
  }

  #subscribeAgain(subscription: Subscription): void {
    if (subscription.readers.size > 0 && this.#socket?.readyState === 1) this.#subscribe(subscription);
  }

  /** A cursor that the gateway does not take is brought forward by the recorded history. */
  async #bringForward(subscription: Subscription, oldest: Following, message: string): Promise<void> {
    const before = oldest.cursor;
    try {
      await refill(this.#connection, oldest);
    } catch (error) {
      this.#fail(oldest, error);
    }
    if (oldest.cursor === before) this.#fail(oldest, new GatewayError('bad_request', message));
    this.#subscribeAgain(subscription);
  }

  #fail(following: Following, error: unknown): void {
    following.mailbox.end(error);
    this.leave(following);
  }

  #lost(code?: number): void {
    this.#close();
    for (const following of this.#followings()) {
      following.lostMs ??= this.#heardMs;
      if (code === UNAUTHORIZED)
        this.#fail(following, new GatewayError('unauthorized', 'The key is not valid.'));
    }
    if (this.#subscriptions.size > 0) void this.#openLater();
  }

  async #openLater(): Promise<void> {
    const { clock, random } = this.#connection;
    this.#failures += 1;
    await sleep(clock, backoffMs(this.#failures, random));
    if (this.#socket || this.#subscriptions.size === 0) return;
    try {
      this.#open();
    } catch (error) {
      const reason = new Unreachable('The gateway cannot be reached.', { cause: error });
      for (const following of this.#followings()) this.#fail(following, reason);
    }
  }

  #followings(): readonly Following[] {
    return [...this.#subscriptions.values()].flatMap(({ readers }) => [...readers]);
  }

  #close(): void {
    this.#silence?.cancel();
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }
}
