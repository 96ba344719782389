import type { Clock } from '@crosstape/core';
import type { Connector, Publisher, VenueRequest } from '@crosstape/venues';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import { WebSocket } from 'ws';
import { userAgent } from '../../platform/product.ts';

const TIMEOUT_MS = 5_000;
/** Concurrent requests, so that a slow connection is not taken for a dead source. */
const AT_ONCE_MAX = 6;

export interface SourceCheck {
  readonly id: string;
  readonly name: string;
  readonly rest: Probe;
  readonly socket: Probe;
}

export interface Probe {
  readonly isOk: boolean;
  readonly words: string;
  /** How far our clock is ahead of the source's, if known. */
  readonly aheadMs?: number;
}

export interface CheckSourcesOptions {
  readonly publishers: readonly Publisher[];
  readonly originsOf: (publisher: Publisher) => Connector['origins'];
  readonly clock: Clock;
  readonly proxy?: string | undefined;
}

const nothing: Probe = { isOk: true, words: '-' };

/** Sends one request to every source, and opens one socket to each that has any. */
export async function checkSources(options: CheckSourcesOptions): Promise<readonly SourceCheck[]> {
  const { publishers, proxy } = options;
  const dispatcher = proxy === undefined ? new Agent() : new ProxyAgent(proxy);
  const waiting = publishers.map((publisher, i) => ({ publisher, i }));
  const checks: SourceCheck[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      checks[next.i] = await checkOne(next.publisher, options, dispatcher);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE_MAX }, work));
  } finally {
    await dispatcher.close();
  }
  return checks;
}

async function checkOne(
  publisher: Publisher,
  { originsOf, clock, proxy }: CheckSourcesOptions,
  dispatcher: Dispatcher,
): Promise<SourceCheck> {
  const { id, name, connector } = publisher;
  const asked = connector?.resources[0];
  if (!connector || (!asked && !connector.lookups)) {
    return { id, name, rest: { isOk: true, words: 'not asked without a key' }, socket: nothing };
  }
  const { rest: own, ws } = originsOf(publisher);
  const rest = asked?.request.origin ?? own;
  const [feed] = connector.feeds;
  return {
    id,
    name,
    rest: rest.startsWith('file:')
      ? { isOk: true, words: 'read from a file' }
      : await probeRest(rest, asked?.retryMs === undefined ? asked?.request : undefined, clock, dispatcher),
    socket: feed ? await probeSocket(ws + feed.path, feed.headers, clock, proxy) : nothing,
  };
}

/** For a source that is polled key by key, or allows few requests, checks only whether it answers. */
async function probeRest(
  origin: string,
  asked: VenueRequest | undefined,
  clock: Clock,
  dispatcher: Dispatcher,
): Promise<Probe> {
  const { method, path, body, headers }: VenueRequest = asked ?? { method: 'GET', path: '/' };
  const startMs = clock.now();
  try {
    const answer = await request(origin + path, {
      method,
      headers: {
        accept: 'application/json',
        'user-agent': userAgent,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      dispatcher,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const tookMs = clock.now() - startMs;
    const { date } = answer.headers;
    await answer.body.dump();
    const theirs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
    return {
      ...judge(answer.statusCode, tookMs, asked === undefined),
      // The header has whole seconds: half a second is the best estimate of the fraction.
      ...(Number.isNaN(theirs) ? {} : { aheadMs: startMs + tookMs / 2 - (theirs + 500) }),
    };
  } catch (error) {
    return { isOk: false, words: reasonOf(error) };
  }
}

function judge(status: number, tookMs: number, isAnyPage: boolean): Probe {
  if (status < 300 || (isAnyPage && [301, 302, 400, 404].includes(status)))
    return { isOk: true, words: `${tookMs} ms` };
  if ([401, 403, 451].includes(status)) return { isOk: false, words: `blocked (HTTP ${status})` };
  if ([418, 429].includes(status)) return { isOk: false, words: `limited (HTTP ${status})` };
  return { isOk: false, words: `HTTP ${status}` };
}

async function probeSocket(
  url: string,
  headers: Readonly<Record<string, string>> | undefined,
  clock: Clock,
  proxy: string | undefined,
): Promise<Probe> {
  const startMs = clock.now();
  const socket = new WebSocket(url, {
    handshakeTimeout: TIMEOUT_MS,
    headers: { 'user-agent': userAgent, ...headers },
    ...(proxy !== undefined && { agent: new HttpsProxyAgent(proxy) }),
  });
  try {
    return await new Promise<Probe>((resolve) => {
      socket.once('open', () => resolve({ isOk: true, words: `${clock.now() - startMs} ms` }));
      socket.on('error', (error) => resolve({ isOk: false, words: reasonOf(error) }));
    });
  } finally {
    socket.terminate();
  }
}

function reasonOf(error: unknown): string {
  const { code, name, message } = error as Error & { code?: string };
  return name === 'TimeoutError' ? `no answer in ${TIMEOUT_MS / 1_000} s` : (code ?? message);
}
