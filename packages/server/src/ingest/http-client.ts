import type { Clock, Random } from '@crosstape/core';
import { isBotWall, type VenueRequest } from '@crosstape/venues';
import { Agent, type Dispatcher, fetch, ProxyAgent, type RequestInit, Response } from 'undici';
import { userAgent } from '../platform/product.ts';
import { afterRunning } from '../platform/running-time.ts';
import { answerAgeMs } from './answer-age.ts';
import { Breaker } from './breaker.ts';
import { SourceFailure, statusOfHttp, unreachable } from './source-failure.ts';
import type { VenueGate } from './venue-gate.ts';
import type { RequestPurpose, TappedRequest, VenueTap } from './wiretap.ts';

/** From the first byte sent to the last one received. A timeout that our own busy process caused would blame the venue. */
const REQUEST_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 30_000;
const ELSEWHERE_MAX_MS = 600_000;
export const BODY_BYTES_MAX = 64 * 2 ** 20;
/** Venues also use this status for too many requests, and only the body shows it. */
const BAD_REQUEST = 400;
const NOT_FOUND = 404;
const UNAVAILABLE = 503;

export interface HttpClientOptions {
  /** Requests' paths are appended to it. */
  readonly origin: string;
  /** Other addresses of the same calls: after a failed or refused request, the next one goes to the next address. */
  readonly otherOrigins?: readonly string[];
  readonly gate: VenueGate;
  readonly requestsInFlight: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly proxy?: string;
  readonly tap?: VenueTap | undefined;
}

export interface HttpAnswer {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly receivedAtMs: number;
  /** How long an HTTP cache had held it. */
  readonly ageMs: number;
  /** For a 400: the failure, unless the body has more detail. */
  readonly refusal?: SourceFailure;
}

/** Sends requests to one venue over kept-alive connections, within its limits. All errors are `SourceFailure`s. */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #dispatcher: Dispatcher;
  readonly #breaker: Breaker;
  /** One per pending request: at most one per resource, and a few per lookup. */
  readonly #flights = new Set<AbortController>();
  /** The address of the next request, and since when it is used. */
  #origin: string;
  #leftAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#origin = options.origin;
    this.#breaker = new Breaker(options);
    const pool = {
      connections: options.requestsInFlight,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: { timeout: CONNECT_TIMEOUT_MS },
      // One clock for every timeout: ours.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    this.#dispatcher = options.proxy ? new ProxyAgent({ ...pool, uri: options.proxy }) : new Agent(pool);
  }

  async send(request: VenueRequest, weight: number, purpose: RequestPurpose): Promise<HttpAnswer> {
    const { gate } = this.#options;
    const flight = new AbortController();
    this.#flights.add(flight);
    try {
      gate.check();
      this.#breaker.check();
      await gate.requests.take(weight, flight.signal);
      gate.check();
      return await this.#breaker.run(() => this.#exchange(request, flight, purpose));
    } finally {
      this.#flights.delete(flight);
    }
  }

  async close(): Promise<void> {
    for (const flight of this.#flights) flight.abort(new SourceFailure('down', 'The service is stopping.'));
    await this.#dispatcher.destroy();
  }

  async #exchange(
    request: VenueRequest,
    flight: AbortController,
    purpose: RequestPurpose,
  ): Promise<HttpAnswer> {
    const { clock, gate, tap } = this.#options;
    const origin = this.#current();
    const { method, path } = request;
    const headers = {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    };
    const body = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
    const tapped = tap?.request({ ...purpose, method, origin, path, headers, ...body });
    const timer = afterRunning(clock, REQUEST_TIMEOUT_MS, () =>
      flight.abort(new SourceFailure('down', `No answer within ${REQUEST_TIMEOUT_MS / 1_000} s.`)),
    );
    try {
      const init = { method, headers, ...body, signal: flight.signal };
      const response = await this.#fetch(`${origin}${path}`, init, tapped);
      if (request.acceptedStatuses?.includes(response.status)) return await this.#read(response);
      if (response.status === BAD_REQUEST) {
        const refusal = new SourceFailure(statusOfHttp(BAD_REQUEST), 'The venue answered HTTP 400.');
        return { ...(await this.#read(response)), refusal };
      }
      if (response.status === UNAVAILABLE && isBotWall(await readText(response)))
        throw new SourceFailure('blocked', `A bot-protection page answered with HTTP ${UNAVAILABLE}.`);
      if (!response.ok) {
        if (!response.bodyUsed) await response.body?.cancel();
        if (response.status === NOT_FOUND) this.#leave(origin);
        throw gate.refused(response.status, response.headers.get('retry-after'));
      }
      return await this.#read(response);
    } catch (error) {
      const failure = asFailure(error, flight.signal);
      if (failure.status === 'down' || failure.status === 'blocked') this.#leave(origin);
      throw failure;
    } finally {
      timer.cancel();
    }
  }

  async #fetch(
    url: string,
    init: RequestInit & { readonly signal: AbortSignal },
    tapped: TappedRequest | undefined,
  ): Promise<Response> {
    try {
      const answer = await fetch(url, { ...init, redirect: 'manual', dispatcher: this.#dispatcher });
      return tapped ? await copyTo(tapped, answer) : answer;
    } catch (error) {
      tapped?.failed(asFailure(error, init.signal).message);
      throw error;
    }
  }

  async #read(response: Response): Promise<HttpAnswer> {
    const body = await readBody(response);
    const ageMs = answerAgeMs(response.headers.get('age'));
    return { body, receivedAtMs: this.#options.clock.now(), ageMs };
  }

  /** Concurrent failures switch to the next address only once. */
  #leave(left: string): void {
    const { origin, otherOrigins = [], clock } = this.#options;
    const all = [origin, ...otherOrigins];
    if (this.#origin !== left) return;
    this.#origin = all[all.indexOf(left) + 1] ?? origin;
    this.#leftAtMs = clock.now();
  }

  /** The venue's own address is tried again after a while: another may answer, but with wrong data. */
  #current(): string {
    const { origin, clock } = this.#options;
    if (clock.now() - this.#leftAtMs >= ELSEWHERE_MAX_MS) this.#origin = origin;
    return this.#origin;
  }
}

function asFailure(error: unknown, signal: AbortSignal): SourceFailure {
  if (error instanceof SourceFailure) return error;
  return signal.aborted ? (signal.reason as SourceFailure) : unreachable(error);
}

/** Passes the whole answer to the tap, whatever its status, and returns it again for normal use. */
async function copyTo(tapped: TappedRequest, response: Response): Promise<Response> {
  const { status, headers } = response;
  const body = await readBody(response);
  await tapped.answered({ status, headers, body });
  return new Response(body.byteLength === 0 ? null : body, { status, headers });
}

async function readText(response: Response): Promise<string> {
  return new TextDecoder().decode(await readBody(response));
}

async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) {
      throw new SourceFailure('changed', `The answer is larger than ${BODY_BYTES_MAX} bytes.`);
    }
    chunks.push(chunk);
  }
  const body = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.length;
  }
  return body;
}
