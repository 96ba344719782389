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
  return text;
}
