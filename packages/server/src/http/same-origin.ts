import type { IncomingMessage } from 'node:http';
import { Failure } from '../platform/errors.ts';

/**
 * Refuses requests from pages of other sites. Current browsers send `Sec-Fetch-Site`, which works behind any proxy;
 * older ones send their origin. Programs send neither and are allowed: they carry only their own keys.
 */
export function requireSameOrigin({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site'];
  const isForeign =
    site === undefined
      ? headers.origin !== undefined && hostOf(headers.origin) !== headers.host?.toLowerCase()
      : site !== 'same-origin' && site !== 'none';
  if (isForeign) throw new Failure('forbidden', 'Cross-origin requests are not allowed here.');
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
