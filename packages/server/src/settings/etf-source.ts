import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Stands for `bitcoin` and `ethereum` in the address, and stays as it is. */
const ASSET = '{asset}';

/** A URL, or the path of a file as a URL; `undefined` when it is neither. */
export function readEtfSource(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  if (!/^[a-z][a-z0-9+.-]+:/i.test(text))
    return pathToFileURL(resolve(text)).href.replaceAll(encodeURIComponent(ASSET), ASSET);
  if (!/^(https?:\/\/[^/]|file:\/\/\/)/.test(text) || !URL.canParse(text)) return undefined;
  return loginOf(text) === undefined ? undefined : text;
}

/** What is asked for, and how: name and password cannot be in an address that is fetched, and go in a header. */
export function etfRequest(source: string): {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const login = loginOf(source);
  if (!login) return { url: source, headers: {} };
  return {
    url: source.replace(/^(https?:\/\/)[^/?#]*@/, '$1'),
    headers: { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
  };
}

/** Name and password, empty when there is neither; `undefined` when they make no sense. */
function loginOf(url: string): string | undefined {
  const { username, password } = new URL(url);
  try {
    return username || password ? decodeURIComponent(`${username}:${password}`) : '';
  } catch {
    return undefined;
  }
}
