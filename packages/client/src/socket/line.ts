import { type Timer, sleep } from '@crosstape/core';
import { backoffMs } from '../backoff.ts';
import type { Connection } from '../connection.ts';
import { Unreachable } from '../errors.ts';
import { type Asked, Following } from './following.ts';
import type { ServerFrame } from './frame-types.ts';
import { refill } from './refill.ts';

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

export interface LineOptions {
  readonly WebSocket?: typeof WebSocket | undefined;
  /** Reads msgpack; present, frames come in that format. */
  readonly msgpack?: ((bytes: Uint8Array) => unknown) | undefined;
}

/** One socket for all subscriptions of a client: open while there are any, and opened again whenever it breaks. */
export class Line {
  readonly #connection: Connection;
  readonly #options: LineOptions;
  readonly #followings = new Map<number, Following>();
  #socket: WebSocket | undefined;
  #silence: Timer | undefined;
  #heardMs = 0;
  #lastId = 0;
  #failures = 0;

  constructor(connection: Connection, options: LineOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  follow(asked: Asked): Following {
    const following = new Following(asked);
    const id = (this.#lastId += 1);
    if (!this.#socket) this.#open();
    this.#followings.set(id, following);
    if (this.#socket?.readyState === 1) this.#send(following.subscribeFrame(id));
    return following;
  }

  leave(following: Following): void {
    for (const [id, one] of this.#followings) {
      if (one !== following) continue;
      this.#followings.delete(id);
      if (this.#socket?.readyState === 1) this.#send(following.unsubscribeFrame(id));
    }
    following.mailbox.end();
    if (this.#followings.size === 0) this.#close();
  }

  #open(): void {
    const { root, apiKey, clock } = this.#connection;
    const Socket = this.#options.WebSocket ?? globalThis.WebSocket;
    if (!Socket)
      throw new Error('This runtime has no WebSocket: give the client one, such as that of the package ws.');
    const socket = new Socket(`${root.replace(/^http/, 'ws')}/ws/v1`);
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      const format = this.#options.msgpack ? { format: 'msgpack' } : {};
      this.#send({ op: 'auth', ...(apiKey !== undefined && { apiKey }), ...format });
      for (const [id, following] of this.#followings) this.#send(following.subscribeFrame(id));
    });
    socket.addEventListener('message', ({ data }: { data: unknown }) => {
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

  #heard(socket: WebSocket): void {
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
      const following = this.#followings.get(Number(frame.id));
      if (frame.op === 'subscribe') following?.acknowledged(frame.symbol, this.#connection.clock.now());
    } else if (frame.type === 'error') {
      this.#refused(Number(frame.id), frame.code, frame.message);
    } else if (frame.type !== 'heartbeat' && 'channel' in frame) {
      for (const [id, following] of this.#followings) {
        if (!following.isOf(frame) || following.take(frame)) continue;
        // Cannot happen while the gateway keeps its word; if it does, nothing is lost by asking anew.
        this.#send(following.unsubscribeFrame(id));
        this.#send(following.subscribeFrame(id));
      }
    }
  }

  #refused(id: number, code: string, message: string): void {
    const following = this.#followings.get(id);
    if (!following) return;
    if (code === 'rate_limited') this.#subscribeLater(id, following);
    else if (code === 'bad_request' && following.cursor) void this.#bringForward(id, following, message);
    else this.#fail(id, following, new GatewayError(code, message));
  }

  #subscribeLater(id: number, following: Following): void {
    this.#connection.clock.after(LIMITED_WAIT_MS, () => {
      if (this.#followings.has(id) && this.#socket?.readyState === 1)
        this.#send(following.subscribeFrame(id));
    });
  }

  /** A cursor that the gateway does not take is brought forward by the recorded history. */
  async #bringForward(id: number, following: Following, message: string): Promise<void> {
    const before = following.cursor;
    try {
      await refill(this.#connection, following);
    } catch (error) {
      this.#fail(id, following, error);
      return;
    }
    if (following.cursor === before) this.#fail(id, following, new GatewayError('bad_request', message));
    else if (this.#followings.has(id) && this.#socket?.readyState === 1)
      this.#send(following.subscribeFrame(id));
  }

  #fail(id: number, following: Following, error: unknown): void {
    this.#followings.delete(id);
    following.mailbox.end(error);
    if (this.#followings.size === 0) this.#close();
  }

  #lost(code?: number): void {
    for (const [id, following] of this.#followings) {
      following.lostMs ??= this.#heardMs;
      if (code === UNAUTHORIZED)
        this.#fail(id, following, new GatewayError('unauthorized', 'The key is not valid.'));
    }
    this.#close();
    if (this.#followings.size > 0) void this.#openLater();
  }

  async #openLater(): Promise<void> {
    const { clock, random } = this.#connection;
    this.#failures += 1;
    await sleep(clock, backoffMs(this.#failures, random));
    if (this.#socket || this.#followings.size === 0) return;
    try {
      this.#open();
    } catch (error) {
      const reason = new Unreachable('The gateway cannot be reached.', { cause: error });
      for (const [id, following] of this.#followings) this.#fail(id, following, reason);
    }
  }

  #close(): void {
    this.#silence?.cancel();
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }
}
