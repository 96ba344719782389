import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEEP_ALIVE_MS } from '../../http/http.ts';
import type { Page, PageReply, Visit } from '../../http/route.ts';
import type { Log } from '../../platform/log.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Started } from '../../roles/role-dependencies.ts';

const NOT_FOUND: PageReply = {
  status: 404,
  contentType: 'text/plain; charset=utf-8',
  body: 'This process serves no callers: /healthz, /readyz and /metrics are all there is.\n',
};

/** Serves the health of a role that has no public interface. */
export async function startStatusServer(
  pages: readonly Page[],
  { host, port }: Pick<Settings, 'host' | 'port'>,
  log: Log,
): Promise<Started & { readonly url: string }> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0];
    const page = pages.find((one) => one.path === path);
    const visit: Visit = { request, admission: { caller: '', address: '', headers: [] } };
    const answer = async (): Promise<void> => {
      const reply = (await page?.handle(visit)) ?? NOT_FOUND;
      if (!('status' in reply)) throw new Error(`${path} is not made for each visit`);
      response.writeHead(reply.status, { 'content-type': reply.contentType }).end(reply.body);
    };
    answer().catch((error: unknown) => {
      log.error({ err: error, path }, 'a page failed on our side');
      response.writeHead(500).end();
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new Error(`cannot listen on ${host}:${port}: ${error.message}`)));
    server.listen(port, host, resolve);
  });
  const { port: given } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${given}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
