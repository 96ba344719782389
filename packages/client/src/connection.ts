import { type Clock, type Random, sleep } from '@crosstape/core';
import { addressOf, type Query } from './address.ts';
import { backoffMs } from './backoff.ts';
import { ApiError, Unreachable } from './errors.ts';

/**
 * Shared by all parts of the client: the service's address, the key, and the seams for time, randomness and sockets.
 */
export interface Connection {
  /** Origin of the service, without a path. */
  readonly root: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly random: Random;
  /** How often a request with a transient failure is repeated. */
  readonly retries: number;
  /** How long an answer may take. */
  readonly timeoutMs: number;
}

export interface RequestSpec {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Whether the path is outside the API, such as `/healthz`. */
  readonly isPage?: boolean;
  /** An additional status that counts as success. */
  readonly alsoGood?: number;
  readonly query?: Query | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** The longest wait for a quota to reset; beyond it the caller gets the error. */
const RETRY_AFTER_MAX_MS = 120_000;

/**
 * Reads an answer with `read`. Requests that are rate limited, overloaded or temporarily unreachable are retried, after
 * the delay that the service names. A POST is retried only if the service has certainly refused it.
 */
export async function sendRequest<Result>(
  connection: Connection,
  request: RequestSpec,
  read: (response: Response) => Promise<Result>,
): Promise<Result> {
  const { clock, random, retries } = connection;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await requestOnce(connection, request, read);
    } catch (error) {
      const waitMs = retryDelayMs(error, request.method ?? 'GET');
      if (waitMs === undefined || attempt > retries || request.signal?.aborted) throw error;
      await sleep(clock, Math.max(waitMs, backoffMs(attempt, random)), request.signal);
    }
  }
}

/** `undefined`: a retry will not help. */
function retryDelayMs(error: unknown, method: string): number | undefined {
  if (error instanceof Unreachable) return method === 'GET' ? 0 : undefined;
  if (!(error instanceof ApiError)) return undefined;
  if (error.status !== 429 && error.status !== 503) return undefined;
  const waitMs = error.retryAfterMs ?? 0;
  return waitMs <= RETRY_AFTER_MAX_MS ? waitMs : undefined;
}

/** The same without retries. */
export async function requestOnce<Result>(
  connection: Connection,
  request: RequestSpec,
  read: (response: Response) => Promise<Result>,
): Promise<Result> {
  const { root, apiKey, clock, timeoutMs } = connection;
  const { method = 'GET', path, query, body, headers, signal } = request;
  const late = new AbortController();
  const timer = clock.after(timeoutMs, () =>
    late.abort(new Unreachable(`${root} did not answer within ${timeoutMs} ms.`)),
  );
  try {
    const response = await connection.fetch(request.isPage ? root + path : addressOf(root, path, query), {
      method,
      headers: {
        ...(apiKey !== undefined && { 'X-API-Key': apiKey }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
    });
    if (!response.ok && response.status !== request.alsoGood) throw await failureOf(response, clock.now());
    return await read(response);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof ApiError || error instanceof Unreachable) throw error;
    throw new Unreachable(`${root} cannot be reached, or what answers is not the service.`, { cause: error });
  } finally {
    timer.cancel();
  }
}

async function failureOf(response: Response, nowMs: number): Promise<Error> {
  const { status, headers } = response;
  const retryAfterMs = readRetryAfter(headers.get('Retry-After'), nowMs);
  try {
    const { error, meta } = (await response.json()) as { error: string; meta: Record<string, unknown> };
    return new ApiError({ status, message: error, meta: meta ?? {}, retryAfterMs });
  } catch {
    return new ApiError({ status, message: `HTTP ${status} without a reason.`, meta: {}, retryAfterMs });
  }
}

/** Seconds, or a date. */
function readRetryAfter(text: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return seconds * 1_000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
