import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Asset, assets } from '@crosstape/core';
import type { EtfPage } from '@crosstape/venues';

/** Placeholder for `bitcoin` and `ethereum` in a URL. */
const ASSET = '{asset}';
/** Prefix of the page of one asset: `bitcoin=PAGE,ethereum=PAGE`. */
const NAMED = new RegExp(`(?:^|,)(${assets.join('|')})=`);

/** The pages as URLs, in the given form; `undefined` if one is neither a URL nor a file. */
export function readEtfSource(text: string): string | undefined {
  if (!NAMED.test(text)) return readPage(text);
  const pages = splitByAsset(text)?.map(([asset, page]) => [asset, readPage(page)] as const);
  if (!pages || pages.some(([, page]) => page === undefined)) return undefined;
  return pages.map(([asset, page]) => `${asset}=${page}`).join(',');
}

/** The configured page of each asset. */
export function etfPages(source: string): Readonly<Partial<Record<Asset, EtfPage>>> {
  const named = NAMED.test(source) ? splitByAsset(source) : undefined;
  const pages = named ?? assets.map((asset) => [asset, source.replaceAll(ASSET, asset)] as const);
  return Object.fromEntries(pages.map(([asset, url]) => [asset, pageOf(url)]));
}

/** `undefined` if there is text before the first asset, or an asset is repeated. */
function splitByAsset(text: string): readonly (readonly [Asset, string])[] | undefined {
  const [before, ...parts] = text.split(NAMED);
  const pages = assets.flatMap((asset) => {
    const at = parts.indexOf(asset);
    return at < 0 ? [] : [[asset, parts[at + 1] ?? ''] as const];
  });
  return before === '' && 2 * pages.length === parts.length ? pages : undefined;
}

/** A URL, or the path of a file as a URL; `undefined` if it is neither. */
function readPage(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  if (!/^[a-z][a-z0-9+.-]+:/i.test(text))
    return pathToFileURL(resolve(text)).href.replaceAll(encodeURIComponent(ASSET), ASSET);
  if (!/^(https?:\/\/[^/]|file:\/\/\/)/.test(text) || !URL.canParse(text)) return undefined;
  return loginOf(text) === undefined ? undefined : text;
}

/** Credentials cannot be in a fetched URL, and are sent in a header. */
function pageOf(url: string): EtfPage {
  const login = loginOf(url);
  if (!login) return { url };
  return {
    url: url.replace(/^(https?:\/\/)[^/?#]*@/, '$1'),
    headers: { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
  };
}

/** Name and password, empty if there are none; `undefined` if invalid. */
function loginOf(url: string): string | undefined {
  const { username, password } = new URL(url);
  try {
    return username || password ? decodeURIComponent(`${username}:${password}`) : '';
  } catch {
    return undefined;
  }
}
