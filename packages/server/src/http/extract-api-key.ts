import type { IncomingMessage } from 'node:http';
import { KEY_PARAMETER } from './read-query.ts';

/** The API key of a request. */
export interface ExtractedApiKey {
  /** From a header or the URL: the first in the order of the contract. */
  readonly key: string | undefined;
  /** The URL without the key; absent if the URL has several keys. */
  readonly bareUrl: string | undefined;
}

/** Reads the key of a request from any of the three places. */
export function extractApiKey(request: IncomingMessage): ExtractedApiKey {
  const { url = '' } = request;
  const key = headerKey(request);
  const at = url.indexOf('?');
  return at < 0 || !mayHoldKey(url, at) ? { key, bareUrl: url } : keyInUrl(url, at, key);
}

function keyInUrl(url: string, at: number, header: string | undefined): ExtractedApiKey {
  const others: string[] = [];
  const keys: string[] = [];
  for (const pair of url.slice(at + 1).split('&')) {
    const end = pair.indexOf('=');
    const name = end < 0 ? pair : pair.slice(0, end);
    if (decode(name) === KEY_PARAMETER) keys.push(decode(pair.slice(name.length + 1)));
    else others.push(pair);
  }
  const path = url.slice(0, at);
  const bareUrl = others.length === 0 ? path : `${path}?${others.join('&')}`;
  return { key: header ?? keys[0], bareUrl: keys.length < 2 ? bareUrl : undefined };
}

/** The key in a header. Credentials other than a bearer token are ignored. */
export function headerKey({ headers }: IncomingMessage): string | undefined {
  const key = headers['x-api-key'];
  if (key !== undefined) return Array.isArray(key) ? key.join() : key;
  const { authorization } = headers;
  return authorization === undefined ? undefined : /^bearer\b\s*(.*)$/i.exec(authorization)?.[1];
}

/** Excludes most URLs quickly; a name can be escaped. */
function mayHoldKey(url: string, at: number): boolean {
  return url.includes(KEY_PARAMETER, at) || url.includes('%', at);
}

/** Returns text that cannot be decoded as it is: the query reader reports the error. */
function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
