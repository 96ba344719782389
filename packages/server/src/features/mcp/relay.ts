import { isRecord, type Params, rpcCodes, VERSION_META } from './protocol.ts';

type Headers = Readonly<Record<string, string>>;

/** Posts one message to the service. */
export type Send = (
  body: string,
  headers: Headers,
) => Promise<{ readonly status: number; readonly text: string }>;

/** Posts a message whose answer is a stream of messages, each passed on as text; resolves when the stream ends. */
export type Listen = (
  body: string,
  headers: Headers,
  onMessage: (text: string) => void,
  signal: AbortSignal,
) => Promise<void>;

const ASCII = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Carries messages between a client that starts programs and a service: one JSON message per line on both sides. A
 * message is answered before the next one is sent; streams of changes go on beside them until they are cancelled.
 */
export async function relay(
  lines: AsyncIterable<string>,
  { send, listen }: { readonly send: Send; readonly listen: Listen },
  out: (line: string) => void,
): Promise<void> {
  /** What `initialize` agreed on; later messages of the session name it. */
  let version: string | undefined;
  const streams = new Map<unknown, AbortController>();
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const message = parse(line);
    if (!isRecord(message)) {
      out(errorLine(null, rpcCodes.parse, 'The line is not a JSON object.'));
      continue;
    }
    const id = message.id as string | number | undefined;
    const headers = headersOf(message, version);
    if (message.method === 'subscriptions/listen' && id !== undefined) {
      const stream = new AbortController();
      streams.set(id, stream);
      void listen(line, headers, (text) => out(answerLine(parse(text), id)), stream.signal)
        .catch((error: unknown) => stream.signal.aborted || out(answerLine(unreachable(error), id)))
        .finally(() => streams.delete(id));
      continue;
    }
    if (message.method === 'notifications/cancelled' && isRecord(message.params))
      streams.get(message.params.requestId)?.abort();
    let reply: unknown;
    try {
      const { status, text } = await send(line, headers);
      reply = status === 202 || text === '' ? undefined : parse(text);
    } catch (error) {
      reply = unreachable(error);
    }
    if (id === undefined || reply === undefined) continue;
    if (message.method === 'initialize' && isRecord(reply) && isRecord(reply.result))
      version = String(reply.result.protocolVersion);
    out(answerLine(reply, id));
  }
  for (const stream of streams.values()) stream.abort();
}

/** A message of the service as it is; anything else as an error of the protocol. */
function answerLine(reply: unknown, id: string | number): string {
  if (isRecord(reply) && reply.jsonrpc === '2.0') return JSON.stringify(reply);
  const reason =
    isRecord(reply) && typeof reply.error === 'string' ? reply.error : 'The service sent no answer.';
  return errorLine(id, rpcCodes.internal, reason);
}

function unreachable(error: unknown): object {
  return {
    error: `The service cannot be reached: ${error instanceof Error ? error.message : String(error)}`,
  };
}

/** What the protocol wants beside a message over HTTP. */
function headersOf(message: Params, agreed: string | undefined): Record<string, string> {
  const params = isRecord(message.params) ? message.params : {};
  const { _meta: given } = params;
  const modern = isRecord(given) ? given[VERSION_META] : undefined;
  if (typeof modern !== 'string') return agreed === undefined ? {} : { 'MCP-Protocol-Version': agreed };
  const name = params.name ?? params.uri;
  return {
    'MCP-Protocol-Version': modern,
    'Mcp-Method': String(message.method),
    ...(typeof name === 'string' && { 'Mcp-Name': headerText(name) }),
  };
}

function headerText(name: string): string {
  return ASCII.test(name) ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorLine(id: string | number | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}
