import { isRecord, LISTEN, type Params, parseJson, rpcCodes, VERSION_META } from './messages.ts';

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

/** Concurrent requests; further ones wait. */
const REQUESTS_MAX = 8;

/**
 * Relays messages between a client that starts programs and a service: one JSON message per line on both sides.
 * Requests run concurrently, so answers may be out of order; streams of changes run until they are cancelled.
 */
export async function relay(
  lines: AsyncIterable<string>,
  { send, listen }: { readonly send: Send; readonly listen: Listen },
  out: (line: string) => void,
): Promise<void> {
  /** The version agreed in `initialize`; later messages of the session name it. */
  let version: string | undefined;
  const streams = new Map<unknown, AbortController>();
  const running = new Set<Promise<void>>();

  const answer = async (line: string, message: Params): Promise<void> => {
    const id = message.id as string | number | undefined;
    let reply: unknown;
    try {
      const { status, text } = await send(line, headersOf(message, version));
      reply = status === 202 || text === '' ? undefined : parseJson(text);
    } catch (error) {
      reply = unreachable(error);
    }
    if (id === undefined) return;
    if (message.method === 'initialize' && isRecord(reply) && isRecord(reply.result))
      version = String(reply.result.protocolVersion);
    out(answerLine(reply, id));
  };

  const follow = async (line: string, message: Params, id: string | number): Promise<void> => {
    const { signal } = streams.set(id, new AbortController()).get(id) as AbortController;
    let isAnswered = false;
    const pass = (reply: unknown): void => {
      isAnswered ||= isRecord(reply) && 'id' in reply;
      out(answerLine(reply, id));
    };
    try {
      await listen(line, headersOf(message, version), (text) => pass(parseJson(text)), signal);
      if (!isAnswered && !signal.aborted) pass({ error: 'The service ended the stream.' });
    } catch (error) {
      if (!signal.aborted) pass(unreachable(error));
    } finally {
      streams.delete(id);
    }
  };

  for await (const line of lines) {
    if (line.trim() === '') continue;
    const message = parseJson(line);
    if (!isRecord(message)) {
      out(errorLine(null, rpcCodes.parse, 'The line is not a JSON object.'));
      continue;
    }
    const id = message.id as string | number | undefined;
    if (message.method === LISTEN && id !== undefined) {
      void follow(line, message, id);
      continue;
    }
    if (message.method === 'notifications/cancelled' && isRecord(message.params))
      streams.get(message.params.requestId)?.abort();
    const work = answer(line, message).finally(() => running.delete(work));
    running.add(work);
    // Later messages name the version that this one agrees on.
    if (message.method === 'initialize') await work;
    else if (running.size >= REQUESTS_MAX) await Promise.race(running);
  }
  await Promise.all(running);
  for (const stream of streams.values()) stream.abort();
}

/** A message of the service unchanged; anything else as a protocol error. */
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

/** Headers that the protocol requires with a message over HTTP. */
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

function errorLine(id: string | number | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}
