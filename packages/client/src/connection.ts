import { type Clock, type Random, sleep } from '@crosstape/core';
import { addressOf, type Query } from './address.ts';
import { backoffMs } from './backoff.ts';
import { ApiError, Unreachable } from './errors.ts';

/** What all parts of the client share: where the service is, who asks, and the seams for time, chance and sockets. */
export interface Connection {
  /** Origin of the service, without a path. */
  readonly root: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly random: Random;
  /** How often a request is repeated that failed in a way that may pass. */
  readonly retries: number;
  /** How long an answer may take. */
  readonly timeoutMs: number;
}

export interface Ask {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** The path is one beside the interface, such as `/healthz`. */
  readonly isPage?: boolean;
  /** A status that is an answer too. */
  readonly alsoGood?: number;
  readonly query?: Query | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** The longest wait for a quota to be renewed; beyond it the caller gets the error. */
const RETRY_AFTER_MAX_MS = 120_000;

/**
 * What `read` makes of an answer with a good status. What is limited, overloaded or out of reach for the moment is asked
 * again, after as long as the service says. A POST is asked again only when the service has surely refused it.
 */
export async function ask<Result>(
  connection: Connection,
  request: Ask,
  read: (response: Response) => Promise<Result>,
): Promise<Result> {
  const { clock, random, retries } = connection;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await askOnce(connection, request, read);
    } catch (error) {
      const waitMs = retryDelayMs(error, request.method ?? 'GET');
      if (waitMs === undefined || attempt > retries || request.signal?.aborted) throw error;
      await sleep(clock, Math.max(waitMs, backoffMs(attempt, random)), request.signal);
    }
  }
}

/** `undefined`: asking again will not help. */
function retryDelayMs(error: unknown, method: string): number | undefined {
  if (error instanceof Unreachable) return method === 'GET' ? 0 : undefined;
  if (!(error instanceof ApiError)) return undefined;
  if (error.status !== 429 && error.status !== 503) return undefined;
  const waitMs = error.retryAfterMs ?? 0;
  return waitMs <= RETRY_AFTER_MAX_MS ? waitMs : undefined;
}

/** The same without a second try. */
export async function askOnce<Result>(
  connection: Connection,
  request: Ask,
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
