import type { IncomingMessage } from 'node:http';
import { Failure } from '../../platform/errors.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import type { Page, PageReply, Visit } from '../../http/route.ts';
import { requireSameOrigin } from '../../http/same-origin.ts';
import { Streamed } from '../../http/streamed.ts';
import type { McpHandler } from './handler.ts';
import { eventsOf, WatchedResources } from './listen.ts';
import { isRecord, LISTEN, type Params, rpcCodes, withRefusedParams } from './messages.ts';
import { Rest, type RestOptions } from './rest.ts';
import type { Call, ServerDetails } from './server.ts';

const JSON_TYPE = 'application/json';
const EVENTS_TYPE = 'text/event-stream';
const eventHeaders = [
  ['Content-Type', EVENTS_TYPE],
  ['Cache-Control', 'no-cache, no-transform'],
  ['X-Accel-Buffering', 'no'],
  // A stream that ends with the service leaves no connection open that its shutdown would wait for.
  ['Connection', 'close'],
].flat();

export interface McpOptions extends RestOptions, ServerDetails {
  readonly bus: Bus;
  readonly log: Log;
}

/** The Model Context Protocol over HTTP: one JSON answer per POST, and event streams of changes. */
export class Mcp {
  readonly page: Page;
  readonly #options: McpOptions;
  readonly #watched: WatchedResources;
  /** The SDK is loaded with the first message: most services never receive one. */
  #handler: Promise<McpHandler> | undefined;
  #isStopping = false;

  constructor(options: McpOptions) {
    this.#options = options;
    this.#watched = new WatchedResources(options.bus, options.pages, (uri) => {
      void this.#handler?.then((handler) => handler.changed(uri));
    });
    this.page = {
      path: '/mcp',
      methods: ['POST'],
      isCounted: true,
      handle: (visit) => this.#answer(visit),
    };
  }

  /** Ends every stream and refuses new ones; calls continue. */
  async endStreams(): Promise<void> {
    this.#isStopping = true;
    await (await this.#handler)?.endStreams();
  }

  /** Ends pending calls. */
  async close(): Promise<void> {
    await (await this.#handler)?.close();
  }

  async #answer({ request, admission, body }: Visit): Promise<PageReply | Streamed> {
    requireSameOrigin(request);
    if (!acceptsBoth(request)) {
      const message = '`Accept` must list application/json and text/event-stream.';
      return refusal(406, { code: rpcCodes.invalidRequest, message });
    }
    // A batch would be many calls for the price of one.
    if (!isRecord(body)) {
      const message = 'The body must be one JSON-RPC 2.0 message.';
      return refusal(400, { code: rpcCodes.invalidRequest, message });
    }
    this.#handler ??= import('./handler.ts').then(({ createHandler }) => createHandler(this.#options));
    const handler = await this.#handler;
    const { caller, address, owner } = admission;
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    request.socket.once('close', leave);
    const { signal } = gone;
    const call: Call = {
      rest: new Rest(this.#options, { caller, address }, { tier: owner?.tier, signal }),
    };
    try {
      if (body.method === LISTEN) return await this.#listen(handler, { request, body, call, address });
      return await this.#replyOf(await handler.answer(webRequest(request, signal), body, call), body, call);
    } finally {
      request.socket.removeListener('close', leave);
    }
  }

  /** The answer of the SDK; an unexpected error behind it is logged. */
  async #replyOf(response: Response, { method }: Params, { fault }: Call): Promise<PageReply> {
    if (fault !== undefined)
      this.#options.log.error({ err: fault, method }, 'an MCP message failed on our side');
    const text = await response.text();
    const body = fault === undefined ? withRefusedParams(text) : text;
    return { status: response.status, contentType: JSON_TYPE, body };
  }

  async #listen(
    handler: McpHandler,
    { request, body, call, address }: Listening,
  ): Promise<PageReply | Streamed> {
    if (this.#isStopping)
      return refusal(503, { code: rpcCodes.internal, message: 'The service is stopping.', id: body.id });
    let release: () => void;
    try {
      release = await this.#watched.watch(requestedUris(body), call.rest, address);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const isFull = error.code === 'rate_limited';
      return refusal(isFull ? 429 : 200, {
        code: isFull ? rpcCodes.internal : rpcCodes.invalidParams,
        message: error.message,
        id: body.id,
      });
    }
    let response: Response;
    try {
      response = await handler.answer(webRequest(request), body, call);
    } catch (error) {
      release();
      throw error;
    }
    const { body: events } = response;
    if (events === null || response.headers.get('Content-Type') !== EVENTS_TYPE) {
      release();
      return this.#replyOf(response, body, call);
    }
    return new Streamed({
      status: response.status,
      headers: eventHeaders,
      isEvents: true,
      open: () => eventsOf(events, release),
    });
  }
}

interface Listening {
  readonly request: IncomingMessage;
  readonly body: Params;
  readonly call: Call;
  readonly address: string;
}

/** The SDK checks this in messages of older revisions only. */
function acceptsBoth({ headers: { accept = '' } }: IncomingMessage): boolean {
  return accept.includes('*/*') || [JSON_TYPE, EVENTS_TYPE].every((type) => accept.includes(type));
}

/** The headers of a message as the SDK reads them; it is given the body as parsed. */
function webRequest({ headers }: IncomingMessage, signal?: AbortSignal): Request {
  const names = ['content-type', ...Object.keys(headers).filter((name) => name.startsWith('mcp-'))];
  return new Request('http://localhost/mcp', {
    method: 'POST',
    // Checked already: the SDK would not take `*/*` for both in the older revisions.
    headers: [
      ['accept', `${JSON_TYPE}, ${EVENTS_TYPE}`],
      ...names.map((name): [string, string] => [name, String(headers[name] ?? '')]),
    ],
    ...(signal && { signal }),
  });
}

function refusal(
  status: number,
  { code, message, id }: { readonly code: number; readonly message: string; readonly id?: unknown },
): PageReply {
  const body = { jsonrpc: '2.0', id: id ?? null, error: { code, message } };
  return { status, contentType: JSON_TYPE, body: JSON.stringify(body) };
}

/** The resources that a stream follows; a malformed list is refused by the SDK. */
function requestedUris({ params }: Params): readonly unknown[] {
  const notifications = isRecord(params) ? params.notifications : undefined;
  const uris = isRecord(notifications) ? notifications.resourceSubscriptions : undefined;
  return Array.isArray(uris) ? uris : [];
}
