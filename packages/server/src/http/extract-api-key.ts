import type { IncomingMessage } from 'node:http';
import { KEY_PARAMETER } from './read-query.ts';

/** The parameter's name with every character escaped. */
const ESCAPED_CHARS_MAX = 3 * KEY_PARAMETER.length;
const POSSIBLE_NAME = new RegExp(
  `(?:^|&)([^&=]{${KEY_PARAMETER.length},${ESCAPED_CHARS_MAX}})(?=[=&]|$)`,
  'g',
);

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
  if (!hasKeyName(url.slice(at + 1))) return { key: header, bareUrl: url };
  const others: string[] = [];
  const values: string[] = [];
  for (const pair of url.slice(at + 1).split('&')) {
    const end = pair.indexOf('=');
    const name = end < 0 ? pair : pair.slice(0, end);
    if (isKeyName(name)) values.push(pair.slice(name.length + 1));
    else others.push(pair);
  }
  const path = url.slice(0, at);
  const bareUrl = others.length === 0 ? path : `${path}?${others.join('&')}`;
  const [value] = values;
  return {
    key: header ?? (value === undefined ? undefined : decode(value)),
    bareUrl: values.length < 2 ? bareUrl : undefined,
  };
}

/** Requests are not counted yet, and a query may have thousands of names: those that cannot be the key's are skipped. */
function hasKeyName(search: string): boolean {
  for (const [, name = ''] of search.matchAll(POSSIBLE_NAME)) if (isKeyName(name)) return true;
  return false;
}

/** A malformed escape costs no exception. */
function isKeyName(name: string): boolean {
  if (name === KEY_PARAMETER) return true;
  const isEscaped = name.length > KEY_PARAMETER.length && name.length <= ESCAPED_CHARS_MAX;
  return isEscaped && name.includes('%') && unescaped(name) === KEY_PARAMETER;
}

/** Right for ASCII, and the key's name is ASCII. */
function unescaped(text: string): string {
  return text.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
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
