import findMyWay from 'find-my-way';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange, Route } from './route.ts';
import { Failure } from '../platform/errors.ts';
import { HeldBytes } from '../platform/held-bytes.ts';
import { isLarge } from './write.ts';

const BODY_BYTES_MAX = 65_536;
/** Bodies of all callers that are being received, each at its full length from its beginning on. */
const BODIES_BYTES_MAX = 512 * BODY_BYTES_MAX;
const RETRY_AFTER_SECONDS = 1;
const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** The body of a request, or why it cannot be read. */
interface ReadBody {
  readonly body?: unknown;
  readonly problem?: Failure;
}

/** Reads a JSON body. An empty body counts as none: many clients send a content type with every request. */
async function readJson(request: IncomingMessage): Promise<ReadBody> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) return { problem: tooLarge() };
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) return { problem: tooLarge() };
      chunks.push(chunk);
    }
    if (bytes === 0) return {};
    if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) return { problem: notJson() };
    return { body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown };
  } catch (cause) {
    return { problem: notJson(cause) };
  }
}

function tooLarge(): Failure {
  return new Failure('too_large', `The body is larger than ${BODY_BYTES_MAX} bytes.`);
}

function notJson(cause?: unknown): Failure {
  return new Failure('bad_request', 'The body must be JSON, sent as application/json.', { cause });
}

function tooManyBodies(): Failure {
  const retryAfterSeconds = RETRY_AFTER_SECONDS;
  return new Failure('overloaded', 'Too many request bodies are being received.', {
    retryAfterSeconds,
  });
}

/** Finds the route of a request and reads its JSON body, if the method can have one. */
export function createRouter(
  routes: readonly Route[],
  serve: (exchange: Exchange) => Promise<void>,
  addressOf: (request: IncomingMessage) => string,
): (request: IncomingMessage, response: ServerResponse) => void {
  // Parsing 16 KB of malformed escapes takes 40 ms; endpoints read the query themselves.
  const router = findMyWay({ querystringParser: () => ({}) });
  const unused = (): void => undefined;
  const receiving = new HeldBytes(BODIES_BYTES_MAX);
  // Requests are counted once they are complete, and many may send their bodies slowly.
  const readInTurn = async (request: IncomingMessage): Promise<ReadBody> => {
    const { 'transfer-encoding': coding, 'content-length': length = 0 } = request.headers;
    const bytes = coding === undefined ? Math.min(Number(length), BODY_BYTES_MAX) : BODY_BYTES_MAX;
    const release = receiving.take(addressOf(request), bytes);
    if (!release) return { problem: tooManyBodies() };
    try {
      return await readJson(request);
    } finally {
      release();
    }
  };
  for (const route of routes) {
    for (const method of route.methods) router.on(method as findMyWay.HTTPMethod, route.url, unused, route);
  }
  return (request, response) => {
    const { method = '', url = '' } = request;
    const route = router.find(method as findMyWay.HTTPMethod, url)?.store as Route | undefined;
    if (route && readsBody(method, route)) {
      void readInTurn(request).then((read) => serve({ request, response, route, ...read }));
      return;
    }
    // After the answer Node parses the rest of a body, however long it is, unless the connection ends with it.
    if (isLarge(request)) response.shouldKeepAlive = false;
    void serve({ request, response, ...(route && { route }) });
  };
}

function readsBody(method: string, route: Route): boolean {
  const isIgnored = route.kind === 'page' && route.page.ignoresBody === true;
  return method !== 'GET' && method !== 'HEAD' && !isIgnored;
}
