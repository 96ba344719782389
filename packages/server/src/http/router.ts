import findMyWay from 'find-my-way';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange, Route } from './route.ts';
import { Failure } from '../platform/errors.ts';

const BODY_BYTES_MAX = 65_536;
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

/** Finds the route of a request and reads its JSON body, if the method can have one. */
export function createRouter(
  routes: readonly Route[],
  serve: (exchange: Exchange) => Promise<void>,
): (request: IncomingMessage, response: ServerResponse) => void {
  const router = findMyWay();
  const unused = (): void => undefined;
  for (const route of routes) {
    for (const method of route.methods) router.on(method as findMyWay.HTTPMethod, route.url, unused, route);
  }
  return (request, response) => {
    const { method = '', url = '' } = request;
    const route = router.find(method as findMyWay.HTTPMethod, url)?.store as Route | undefined;
    // Without a route the body is not read.
    if (!route) void serve({ request, response });
    else if (method === 'GET' || method === 'HEAD' || ignoresBody(route))
      void serve({ request, response, route });
    else void readJson(request).then((read) => serve({ request, response, route, ...read }));
  };
}

function ignoresBody(route: Route): boolean {
  return route.kind === 'page' && route.page.ignoresBody === true;
}
