import { type Clock, type Random, sleep } from '@crosstape/core';
import { type Query, rootOf } from './address.ts';
import type {
  AnswerOf,
  GetPath,
  PostAnswerOf,
  PostBodyOf,
  PostPath,
  QueryOf,
  RequestArgs,
  StreamPath,
} from './api-types.ts';
import { type Connection, sendRequest } from './connection.ts';
import type { FollowCallbacks } from './socket/following.ts';
import type { BuildItem, ChannelName, ParamsOf, SocketItem } from './socket/frame-types.ts';
import { GatewayConnection } from './socket/gateway-connection.ts';
import type { SocketClass } from './socket/socket-like.ts';
import {
  createKey,
  type Health,
  type KeyUsage,
  type NewKey,
  readHealth,
  type Readiness,
  readKeyUsage,
  readReadiness,
  revokeKey,
} from './service-pages.ts';
import { streamEvents, type StreamItem } from './stream.ts';
import { systemClock } from './system-clock.ts';
import { type TickPage, tickPages, type TickRange } from './ticks.ts';

const WORD = 2 ** 32;

/** System randomness, for retry jitter. */
const systemRandom: Random = () => {
  const [word = 0] = crypto.getRandomValues(new Uint32Array(1));
  return word / WORD;
};

export interface ClientOptions {
  /** Base URL of the service: `http://127.0.0.1:8080`, or with a path: `https://host/prefix`. */
  readonly url: string;
  readonly apiKey?: string;
  /** How often a request with a transient failure is repeated; default: 3. */
  readonly retries?: number;
  /** Timeout of an answer; default: 30 s. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
  /** For runtimes without a global WebSocket, such as Node 20: the class of the package `ws`. */
  readonly WebSocket?: SocketClass;
  /** Decodes msgpack; if given, frames are requested in that format. */
  readonly msgpack?: (bytes: Uint8Array) => unknown;
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
}

export interface FollowOptions extends RequestOptions, FollowCallbacks {}

const RETRIES = 3;
const TIMEOUT_MS = 30_000;
const accepted = { Accept: 'application/json' };

/** The whole API of the service, with generated types. */
export class Client {
  readonly #connection: Connection;
  readonly #line: GatewayConnection;

  constructor(options: ClientOptions) {
    const { url, apiKey, retries = RETRIES, timeoutMs = TIMEOUT_MS } = options;
    this.#connection = {
      root: rootOf(url),
      apiKey,
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
      clock: options.clock ?? systemClock,
      random: options.random ?? systemRandom,
      retries,
      timeoutMs,
    };
    this.#line = new GatewayConnection(this.#connection, options);
  }

  /** This client's clock. */
  now(): number {
    return this.#connection.clock.now();
  }

  /** Whether the gateway's socket is open: false before the first subscription and while reconnecting. */
  get isOnline(): boolean {
    return this.#line.isOpen;
  }

  /** The answer of a path: `get('/perps/oi', { coins: ['BTC'] })`. Throws `ApiError` or `Unreachable`. */
  async get<Path extends GetPath>(
    path: Path,
    ...[query, options]: RequestArgs<QueryOf<Path>, RequestOptions>
  ): Promise<AnswerOf<Path>> {
    const request = { path, query: query as Query | undefined, signal: options?.signal, headers: accepted };
    return sendRequest(this.#connection, request, readJson<AnswerOf<Path>>);
  }

  async post<Path extends PostPath>(
    path: Path,
    body: PostBodyOf<Path>,
    options: RequestOptions = {},
  ): Promise<PostAnswerOf<Path>> {
    const request = { method: 'POST', path, body, signal: options.signal } as const;
    return sendRequest(this.#connection, request, readJson<PostAnswerOf<Path>>);
  }

  /** The bytes of a build result as stored: one gzip member. */
  async result(key: string, options: RequestOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    const request = { path: '/perps/rotations/result', query: { key }, signal: options.signal };
    return sendRequest(
      this.#connection,
      request,
      async (response) => new Uint8Array(await response.arrayBuffer()),
    );
  }

  /** Whether the service is alive: its version, its upstream, and the state of recording. */
  health(options: RequestOptions = {}): Promise<Health> {
    return readHealth(this.#connection, options.signal);
  }

  /** Whether the service is ready. */
  readiness(options: RequestOptions = {}): Promise<Readiness> {
    return readReadiness(this.#connection, options.signal);
  }

  /** Creates a free key; its text is returned only here. */
  createKey(options: RequestOptions = {}): Promise<NewKey> {
    return createKey(this.#connection, options.signal);
  }

  /** Usage of this client's key. */
  keyUsage(options: RequestOptions = {}): Promise<KeyUsage> {
    return readKeyUsage(this.#connection, options.signal);
  }

  /** Revokes this client's key permanently. */
  revokeKey(options: RequestOptions = {}): Promise<void> {
    return revokeKey(this.#connection, options.signal);
  }

  /** Resolves after this time on the client's clock. */
  wait(delayMs: number, options: RequestOptions = {}): Promise<void> {
    return sleep(this.#connection.clock, delayMs, options.signal);
  }

  /**
   * An endless sequence of events of a stream. After a broken connection it resumes where it stopped, without repeats.
   * If the service cannot recover missed events, an item named `gap` has the start and end.
   */
  stream<Path extends StreamPath>(
    path: Path,
    ...[query, options]: RequestArgs<QueryOf<Path>, FollowOptions>
  ): AsyncGenerator<StreamItem<Path>, void, undefined> {
    return streamEvents(this.#connection, path, query as Query | undefined, options);
  }

  /**
   * An endless sequence of frames of a gateway channel for a coin: `follow('candles', 'BTC', { interval: '5m' })`, or
   * for a market, whose coin the service then names: `follow('trades', 'BTC', { market: 'binance:BTCUSDT' })`. All
   * subscriptions share one socket, which is reopened when it breaks; trades then continue exactly where they stopped,
   * and state channels start again with the state.
   */
  async *follow<Channel extends ChannelName>(
    channel: Channel,
    symbol: string,
    params?: ParamsOf<Channel>,
    options: FollowOptions = {},
  ): AsyncGenerator<SocketItem<Channel>, void, undefined> {
    for await (const items of this.followBatches(channel, symbol, params, options)) yield* items;
  }

  /** The same in batches: each item has everything received since the last one. */
  async *followBatches<Channel extends ChannelName>(
    channel: Channel,
    symbol: string,
    params?: ParamsOf<Channel>,
    { signal, ...callbacks }: FollowOptions = {},
  ): AsyncGenerator<readonly SocketItem<Channel>[], void, undefined> {
    signal?.throwIfAborted();
    const following = this.#line.follow({ channel, symbol, params: { ...params } }, callbacks);
    const onAbort = (): void => following.mailbox.end(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    try {
      for (let items = await following.mailbox.take(); items; items = await following.mailbox.take()) {
        yield items;
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#line.leave(following);
    }
  }

  /**
   * A build over the socket until it is done: its acceptance, progress and result. It continues across reconnections; a
   * build that is refused or fails ends with a `GatewayError`.
   */
  async *followBuild(
    spec: PostBodyOf<'/perps/rotations/build'>,
    { signal }: RequestOptions = {},
  ): AsyncGenerator<BuildItem, void, undefined> {
    signal?.throwIfAborted();
    const building = this.#line.build(spec);
    const onAbort = (): void => building.mailbox.end(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    try {
      for (let items = await building.mailbox.take(); items; items = await building.mailbox.take()) {
        yield* items;
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#line.leaveBuild(building);
    }
  }

  /** The recorded trades of a coin as columns, oldest first, chunk by chunk: each trade once. */
  ticks(coin: string, range: TickRange = {}, options: RequestOptions = {}): AsyncGenerator<TickPage, void> {
    return tickPages(this.#connection, coin, range, options.signal);
  }
}

async function readJson<Body>(response: Response): Promise<Body> {
  return (await response.json()) as Body;
}
