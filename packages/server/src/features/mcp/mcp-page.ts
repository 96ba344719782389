import type { Page, PageReply, Visit } from '../../http/route.ts';
import { requireSameOrigin } from '../../http/same-origin.ts';
import type { Streamed } from '../../http/streamed.ts';
import type { Listeners } from './listen.ts';
import { readRequest, RpcError, rpcCodes } from './protocol.ts';
import { Rest, type RestOptions } from './rest.ts';
import { orRpcError, serve } from './serve.ts';

const JSON_TYPE = 'application/json';

export interface McpOptions extends RestOptions {
  readonly version: string;
  /** Pages of the service: those of the documentation are resources. */
  readonly pages: readonly Page[];
  readonly listeners: Listeners;
}

/**
 * The Model Context Protocol over HTTP, without sessions: one JSON answer per POST, and an event stream for
 * `subscriptions/listen`. The revision 2026-07-28 and the ones that begin with `initialize` share the address; a
 * message says itself which it is.
 */
export function mcpPage(options: McpOptions): Page {
  return {
    path: '/mcp',
    methods: ['POST'],
    isCounted: true,
    handle: (visit) => answer(visit, options),
  };
}

async function answer(
  { request, admission, body }: Visit,
  options: McpOptions,
): Promise<PageReply | Streamed> {
  requireSameOrigin(request);
  try {
    const message = readRequest(request.headers, body);
    // A notification has no answer.
    if (message.id === undefined) return { status: 202, contentType: JSON_TYPE, body: '' };
    const { caller, address, owner } = admission;
    const rest = new Rest(options, { caller, address }, owner?.tier);
    if (message.isModern && message.method === 'subscriptions/listen') {
      const open = (): Promise<Streamed> => options.listeners.open(message, rest, caller);
      return await orRpcError(open, rpcCodes.invalidParams, message.id);
    }
    const result = await serve(message, { ...options, rest });
    return reply(200, { jsonrpc: '2.0', id: message.id, result });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { code, message, data, id = null, status } = error;
    return reply(status, {
      jsonrpc: '2.0',
      id,
      error: { code, message, ...(data !== undefined && { data }) },
    });
  }
}

function reply(status: number, body: object): PageReply {
  return { status, contentType: JSON_TYPE, body: JSON.stringify(body) };
}
