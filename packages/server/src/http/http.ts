import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Failure, failureCodes } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { Answer } from './answer.ts';
import { answerOf, type AnswerCache, withMeta } from './answer-cache.ts';
import { RequestContext, type Resources, sourceLabel } from './request-context.ts';
import type { Endpoint, Reply } from './endpoint.ts';
import { readBody } from './read-body.ts';
import { readQuery } from './read-query.ts';
import type { Streams } from './stream-definition.ts';
import { allowHosts, hasTwoHosts, twoHosts } from './allowed-hosts.ts';
import { writeBlob } from './blob-answer.ts';
import { answerClientError } from './client-error.ts';
import type { Connections } from './connections.ts';
import type { Admission, Gate } from './gate.ts';
import { extractApiKey } from './extract-api-key.ts';
import { HotPath } from './hot-path.ts';
import { acceptedEncoding } from './negotiate.ts';
import { BASE_PATH, type Exchange, type Page, type PageReply, type Route, routesOf } from './route.ts';
import { createRouter } from './router.ts';
import { countOne, type RequestCounter } from './request-counter.ts';
import { Streamed, writeStreamed } from './streamed.ts';
import type { UnreadBudget } from './unread-budget.ts';
import { prefersCsv, searchOf } from './with-csv.ts';
import { isLarge, writeAnswer, writeFailure, writePage, writePreflight } from './write.ts';

const URL_CHARS_MAX = 8_192;
const HEADER_BYTES_MAX = 16_384;
/** Requests waiting for a handler. */
const WAITING_MAX = 10_000;
/** TCP keep-alive probes start after this much silence. */
const PROBE_AFTER_MS = 60_000;
/** Longer than the idle timeout of common proxies, so that the proxy closes idle connections first. */
export const KEEP_ALIVE_MS = 75_000;
const OVERLOAD_RETRY_SECONDS = 1;

/** Timeouts of a connection. */
export interface HttpTimes {
  /** From the connection, or the end of the last answer, to the end of the headers. */
  readonly headersMs: number;
  /** To the end of the body. */
  readonly requestMs: number;
  /** Without reading or sending a byte during a request. */
  readonly stalledMs: number;
  /** How often timeouts are checked. */
  readonly checkMs: number;
}
const httpTimes: HttpTimes = { headersMs: 15_000, requestMs: 30_000, stalledMs: 120_000, checkMs: 5_000 };

/** The route under which responses without one are counted. */
const NO_ROUTE = 'none';

export interface HttpOptions {
  readonly resources: Resources;
  readonly answers: AnswerCache;
  readonly gate: Gate;
  readonly budget: UnreadBudget;
  /** Host names that browsers may send state-changing requests to, besides loopback names and addresses. */
  readonly allowedHosts: readonly string[];
  readonly counter: RequestCounter;
  readonly endpoints: readonly Endpoint[];
  readonly pages: readonly Page[];
  /** Page for a browser that requests an unknown path. */
  readonly lost?: PageReply | undefined;
  readonly streams: Streams;
  readonly log: Log;
  readonly connections: Connections;
  readonly times?: HttpTimes | undefined;
}

/** The HTTP server of the API, not listening yet. */
export async function createHttp(options: HttpOptions): Promise<Server> {
  const { resources, answers, gate, connections, counter, streams, log, times = httpTimes } = options;
  const { clock } = resources;
  const { budget } = options;
  const checkHost = allowHosts(options.allowedHosts);
  const pace = { clock, budget };
  const routes = routesOf(options.endpoints, streams.definitions, options.pages);
  const ownLabel = sourceLabel(resources.upstream, ['crosstape']);
  let waiting = 0;
  let faults = 0;

  const failureOf = (error: unknown, request: IncomingMessage): Failure => {
    if (error instanceof Failure) return error;
    faults += 1;
    const id = `${resources.startedAtMs.toString(36)}-${faults}`;
    const { bareUrl: url } = extractApiKey(request);
    log.error({ id, err: error, method: request.method, url }, 'a request failed on our side');
    return new Failure('internal', `Internal error. Error id: ${id}.`, { meta: { id } });
  };

  const refuse = (
    request: IncomingMessage,
    response: ServerResponse,
    { headers, keyStatus, refusal }: Admission,
    failure: Failure,
    isPublic = true,
  ): number => {
    // Over quota for too long: the connection ends with the answer.
    if (refusal && connections.takeRefused(request)) response.shouldKeepAlive = false;
    const words = { source: ownLabel, nowMs: clock.now(), headers, keyStatus, isPublic };
    const answer = (): void => {
      if (!response.destroyed) writeFailure(request, response, failure, words);
    };
    if (refusal) connections.answerRefused(answer);
    else answer();
    return failureCodes[failure.code].status;
  };
  const hot = new HotPath(pace, answers, gate, refuse);

  const send = async (
    answer: Answer,
    { request, response }: Exchange,
    { headers, owner }: Pick<Admission, 'headers' | 'owner'>,
  ): Promise<number> => {
    const isPrivate = owner !== undefined;
    const variant = await answer.variant(acceptedEncoding(request.headers['accept-encoding']));
    return writeAnswer(request, response, { answer, variant, nowMs: clock.now(), headers, isPrivate, pace });
  };

  const sendStreamed = (
    streamed: Streamed,
    { request, response, route }: Exchange,
    headers: readonly string[],
  ): number => {
    const onFault = (error: unknown): void => {
      // Too many jobs, which callers can cause at will.
      const level = error instanceof Failure ? 'debug' : 'error';
      log[level]({ err: error, path: route?.url }, 'a response ended early: its body cannot be made');
    };
    return writeStreamed(request, response, streamed, { headers, onFault, ...pace });
  };

  const serveEndpoint = async (
    endpoint: Endpoint,
    exchange: Exchange,
    { caller, address, headers, owner, keyStatus }: Admission,
    search: string,
  ): Promise<number> => {
    const { request, body } = exchange;
    const { accept } = request.headers;
    const query = readQuery(endpoint.query, searchOf(endpoint, search, accept), resources.venues);
    const key = `${endpoint.path} ${JSON.stringify(query)}`;
    const isKept = endpoint.cacheSeconds > 0;
    const contextNow = (): RequestContext =>
      new RequestContext(resources, { caller, address, accept: request.headers.accept ?? '' });
    const streamed = await endpoint.stream?.(query, contextNow());
    if (streamed) return sendStreamed(streamed, exchange, headers);
    const replyNow = async (): Promise<Reply> => {
      const context = contextNow();
      return endpoint.handle(query, context, endpoint.body ? readBody(endpoint.body, body) : {});
    };
    const reply = isKept ? undefined : await replyNow();
    if (reply && 'blob' in reply) {
      const onFault = (error: unknown): void =>
        log.error({ err: error, path: endpoint.path }, 'a stored result cannot be read');
      return writeBlob(request, exchange.response, { reply, headers, keyStatus, onFault, ...pace });
    }
    let answer = reply ? answerOf(endpoint, reply) : await answers.answer(key, endpoint, query, address);
    const { bareUrl } = extractApiKey(request);
    if (keyStatus) answer = withMeta(endpoint, answer, 'keyStatus', keyStatus);
    else if (isKept && bareUrl !== undefined && !prefersCsv(accept))
      hot.remember(bareUrl, key, counter.of(BASE_PATH + endpoint.path));
    return send(answer, exchange, { headers, owner });
  };

  const serveRoute = async (exchange: Exchange, admission: Admission, search: string): Promise<number> => {
    const { request, response, route, problem } = exchange;
    if (admission.refusal) throw admission.refusal;
    if (hasTwoHosts(request)) {
      // Further requests on this connection may be meant for another host.
      response.shouldKeepAlive = false;
      throw twoHosts();
    }
    checkHost(request);
    if (isTooLong(request)) throw addressTooLong();
    if (!isAddress(request.url ?? '')) throw invalidAddress();
    if (!route && options.lost && looksForPage(request)) {
      return writePage(request, response, options.lost);
    }
    if (!route) throw nowhere(request, routes);
    if (problem) throw problem;
    if (waiting >= WAITING_MAX) throw overloaded();
    waiting += 1;
    try {
      if (route.kind === 'endpoint') return await serveEndpoint(route.endpoint, exchange, admission, search);
      const { address, headers } = admission;
      if (route.kind === 'page') {
        const reply = await route.page.handle({ request, admission, body: exchange.body });
        if (reply instanceof Answer) return await send(reply, exchange, admission);
        if (reply instanceof Streamed) return sendStreamed(reply, exchange, headers);
        return writePage(request, response, { ...reply, headers: [...headers, ...(reply.headers ?? [])] });
      }
      streams.open({ definition: route.definition, search, caller: address, headers, request, response });
      return 200;
    } finally {
      waiting -= 1;
    }
  };

  const serve = async (exchange: Exchange): Promise<void> => {
    const { request, response, route } = exchange;
    const [path, search] = splitUrl(request.url ?? '');
    // The router accepts a URL in any spelling (escaped, or with a host), so its result decides.
    const isInterface = route
      ? route.kind !== 'page'
      : path === BASE_PATH || path.startsWith(`${BASE_PATH}/`);
    const counts = counter.of(route?.url ?? NO_ROUTE);
    if (request.method === 'OPTIONS' && isInterface) {
      const admission = gate.exempt(request);
      const failure = admission.refusal ?? (isTooLong(request) ? addressTooLong() : undefined);
      const status = failure
        ? refuse(request, response, admission, failure)
        : writePreflight(response, methodsAt(path, routes));
      countOne(counts, status);
      return;
    }
    const isCounted = isInterface || (route?.kind === 'page' && route.page.isCounted === true);
    const { key } = extractApiKey(request);
    const pass = isCounted && key !== undefined ? (gate.recall(key) ?? (await gate.check(key))) : {};
    const cost = route && costOf(route, request);
    const admission = isCounted ? gate.admit(request, pass, cost) : gate.exempt(request, cost);
    try {
      countOne(counts, await serveRoute(exchange, admission, search));
    } catch (error) {
      countOne(counts, refuse(request, response, admission, failureOf(error, request), isInterface));
    }
  };

  const router = createRouter(routes, serve, (request) => gate.addressOf(request));
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    connections.takeRequest(request, response, () => {
      if (isLarge(request)) connections.watchBody(request, response);
      if (isLarge(request) || !hot.serve(request, response)) router(request, response);
    });
  };
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES_MAX,
      connectionsCheckingInterval: times.checkMs,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_AFTER_MS,
    },
    onRequest,
  );
  // Node would answer these itself, uncounted: unknown expectations are ignored.
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error, socket) => answerClientError(error, socket, ownLabel, clock));
  server.headersTimeout = times.headersMs;
  server.requestTimeout = times.requestMs;
  server.timeout = times.stalledMs;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  budget.watch(server);
  connections.guard(server);
  return server;
}

function splitUrl(url: string): [string, string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

/** Whether a request is for a page rather than the API. */
function looksForPage({ method, url = '', headers }: IncomingMessage): boolean {
  return method === 'GET' && !url.startsWith('/api/') && (headers.accept ?? '').includes('text/html');
}

function methodsAt(path: string, routes: readonly Route[]): readonly string[] {
  const parts = path.split('/');
  const found = routes.filter(({ url }) => (url.includes(':') ? isMatch(url, parts) : url === path));
  const methods = [...new Set(found.flatMap((route) => route.methods))];
  // Only the API answers preflight requests.
  return found.some(({ kind }) => kind !== 'page') ? [...methods, 'OPTIONS'] : methods;
}

/** Whether the parts of a path match a route, whose parts that begin with a colon match any text. */
function isMatch(url: string, parts: readonly string[]): boolean {
  const own = url.split('/');
  return own.length === parts.length && own.every((part, i) => part.startsWith(':') || part === parts[i]);
}

function nowhere(request: IncomingMessage, routes: readonly Route[]): Failure {
  const [path] = splitUrl(request.url ?? '');
  const allow = methodsAt(path, routes);
  // The router finds no route for a path that it cannot decode.
  if (allow.includes(request.method ?? '')) return invalidAddress();
  return allow.length === 0
    ? new Failure('not_found', `No such path: ${path}. ${BASE_PATH}/openapi lists all paths.`)
    : new Failure(
        'method_not_allowed',
        `${request.method} is not allowed here; allowed: ${allow.join(', ')}.`,
        {
          allow,
        },
      );
}

function isTooLong({ url = '' }: IncomingMessage): boolean {
  return url.length > URL_CHARS_MAX;
}

function addressTooLong(): Failure {
  return new Failure('too_large', `The URL is longer than ${URL_CHARS_MAX} characters.`);
}

/** Whether a URL can be parsed: one with a host, or with two slashes, may not be. */
function isAddress(url: string): boolean {
  return (url.startsWith('/') && !url.startsWith('//')) || URL.canParse(url, 'http://localhost');
}

function invalidAddress(): Failure {
  return new Failure('bad_request', 'The request URL is not valid.');
}

function overloaded(): Failure {
  return new Failure('overloaded', 'Too many requests are queued.', {
    retryAfterSeconds: OVERLOAD_RETRY_SECONDS,
  });
}

/** Cost of a request, of its quota. */
function costOf(route: Route, { url = '' }: IncomingMessage): number | undefined {
  if (route.kind === 'endpoint') return route.endpoint.cost;
  const cost = route.kind === 'page' ? route.page.cost : 1;
  return typeof cost === 'function' ? cost(url) : cost;
}
