import type { IncomingMessage, ServerResponse } from 'node:http';
import findMyWay from 'find-my-way';
import { readJson } from './read-json.ts';
import type { Exchange, Route } from './route.ts';

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
