import type { IncomingMessage, ServerResponse } from 'node:http';
import { fastify } from 'fastify';
import { Failure } from '../platform/errors.ts';
import type { Exchange, Route } from './route.ts';

const BODY_BYTES_MAX = 65_536;
/** Of a request with a JSON content type and no body. */
const EMPTY_BODY = 'FST_ERR_CTP_EMPTY_JSON_BODY';

/**
 * Finds the route of a request and reads its JSON body. Fastify does both; validation, answers and errors are our
 * own, so every request is taken out of its hands as soon as its route is known.
 */
export async function createRouter(
  routes: readonly Route[],
  serve: (exchange: Exchange) => Promise<void>,
): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
  const app = fastify({
    bodyLimit: BODY_BYTES_MAX,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { querystringParser: () => ({}) },
    frameworkErrors: (_error, request, reply) => {
      reply.hijack();
      void serve({ request: request.raw, response: reply.raw });
    },
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    // Before the body is read: nobody wants it.
    reply.hijack();
    void serve({ request: request.raw, response: reply.raw });
  });
  for (const route of routes) {
    app.route({
      method: [...route.methods],
      url: route.url,
      handler: async (request, reply) => {
        reply.hijack();
        await serve({ request: request.raw, response: reply.raw, route, body: request.body });
      },
      errorHandler: (error, request, reply) => {
        reply.hijack();
        const exchange = { request: request.raw, response: reply.raw, route };
        // Many clients name a content type on every request. A route that needs a body says so itself.
        void serve(error.code === EMPTY_BODY ? exchange : { ...exchange, trouble: bodyTrouble(error) });
      },
    });
  }
  await app.ready();
  return (request, response) => app.routing(request, response);
}

function bodyTrouble(cause: { readonly statusCode?: number; readonly message: string }): Failure {
  if (cause.statusCode === 413) {
    return new Failure('too_large', `The body is larger than ${BODY_BYTES_MAX} bytes.`, { cause });
  }
  return new Failure('bad_request', 'The body must be JSON, sent as application/json.', { cause });
}
