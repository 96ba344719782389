import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Failure } from '../platform/errors.ts';

/** Methods that change nothing. */
const safeMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Checks the `Host` header. Throws a `Failure`. */
export type CheckHost = (request: IncomingMessage) => void;

/**
 * Refuses state-changing browser requests under a foreign host name: a web page whose name resolves to this machine
 * would otherwise count as the service's own (DNS rebinding). Allowed are loopback names, IP addresses, which no DNS
 * server can claim, and the operator's names. Programs send no `Origin` and are not affected.
 */
export function allowHosts(names: readonly string[]): CheckHost {
  const allowed = new Set(names.map((name) => name.toLowerCase()));
  return (request) => {
    const { origin, 'sec-fetch-site': site } = request.headers;
    const isBrowser = origin !== undefined || site !== undefined;
    if (!isBrowser || safeMethods.has(request.method)) return;
    const name = nameOf(request.headers.host ?? '');
    if (isLocal(name) || isIP(name) !== 0 || allowed.has(name)) return;
    throw new Failure(
      'forbidden',
      'Pages under this host name may not change anything; the operator can allow it with ALLOWED_HOSTS.',
    );
  };
}

/** Node uses the first of several `Host` headers, and a proxy perhaps the last. */
export function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

export function twoHosts(): Failure {
  return new Failure('bad_request', 'A request must have one `Host` header.');
}

/** Without the port and the brackets of IPv6. */
function nameOf(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  return (bracketed ?? plain).toLowerCase();
}

function isLocal(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}
