import {
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  type Server,
  type ServerEvent,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { STREAMS_MAX } from './listen.ts';
import { LISTEN, type Params } from './messages.ts';
import { type Call, createServer, type ServerDetails } from './server.ts';

/** The part of the official SDK that the service needs: answers to messages, and streams of changes. */
export interface McpHandler {
  /** Answers the message that `body` is; `request` has its headers and ends with its connection. */
  answer(request: Request, body: Params, call: Call): Promise<Response>;
  /** Notifies the streams that named the resource. */
  changed(uri: string): void;
  /** Ends every stream; other messages are still answered. */
  endStreams(): Promise<void>;
  /** Ends pending calls. */
  close(): Promise<void>;
}

/**
 * The official SDK without sessions: a server for each message. The revision 2026-07-28 and those that begin with
 * `initialize` share the address; a message shows which it is. Streams have a separate handler, which can be closed
 * while calls are still answered.
 */
export function createHandler(details: ServerDetails): McpHandler {
  const callOf = ({ authInfo }: McpRequestContext): Call => authInfo?.extra?.call as Call;
  let newestError: Error | undefined;
  const modern = () =>
    createMcpHandler((context) => createServer('modern', callOf(context), details), {
      legacy: 'reject',
      maxSubscriptions: STREAMS_MAX,
      // Also called for messages that it refuses; their answer has the reason.
      onerror: (error) => {
        newestError = error;
      },
    });
  const [calls, streams] = [modern(), modern()];
  return {
    async answer(request, body, call) {
      if (await isLegacyRequest(request, body))
        return answerLegacy(request, body, createServer('legacy', call, details));
      const authInfo = { token: '', clientId: '', scopes: [], extra: { call } };
      const handler = body.method === LISTEN ? streams : calls;
      const response = await handler.fetch(request, { parsedBody: body, authInfo });
      if (response.status >= 500)
        call.fault ??= newestError ?? new Error(`the SDK answered ${response.status}`);
      return response;
    },
    changed: (uri) => streams.bus.publish({ kind: 'resource_updated', uri } satisfies ServerEvent),
    endStreams: () => streams.close(),
    close: () => calls.close(),
  };
}

/** One JSON answer, not the event stream that the SDK sends by default. */
async function answerLegacy(request: Request, parsedBody: unknown, server: Server): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}
