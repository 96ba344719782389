import { isRecord, rpcCodes, VERSION_META } from './protocol.ts';

/** Posts one message to the service. */
export type Send = (
  body: string,
  headers: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly text: string }>;

const ASCII = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Carries messages between a client that starts programs and a service: one JSON message per line on both sides. A
 * message is answered before the next one is sent.
 */
export async function relay(
  lines: AsyncIterable<string>,
  send: Send,
  out: (line: string) => void,
): Promise<void> {
  /** What `initialize` agreed on; later messages of the session name it. */
  let version: string | undefined;
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const message = parse(line);
    const id = isRecord(message) ? (message.id as string | number | undefined) : undefined;
    if (!isRecord(message)) {
      out(errorLine(null, rpcCodes.parse, 'The line is not a JSON object.'));
      continue;
    }
    let reply: unknown;
    try {
      const { status, text } = await send(line, headersOf(message, version));
      reply = status === 202 || text === '' ? undefined : parse(text);
    } catch (error) {
      reply = {
        error: `The service cannot be reached: ${error instanceof Error ? error.message : String(error)}`,
      };
    }
    if (id === undefined || reply === undefined) continue;
    if (isRecord(reply) && reply.jsonrpc === '2.0') {
      const { result } = reply;
      if (message.method === 'initialize' && isRecord(result)) version = String(result.protocolVersion);
      out(JSON.stringify(reply));
    } else {
      const reason =
        isRecord(reply) && typeof reply.error === 'string' ? reply.error : 'The service sent no answer.';
      out(errorLine(id, rpcCodes.internal, reason));
    }
  }
}

/** What the protocol wants beside a message over HTTP. */
function headersOf(
  message: Readonly<Record<string, unknown>>,
  agreed: string | undefined,
): Record<string, string> {
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
