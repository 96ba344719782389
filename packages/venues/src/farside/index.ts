import { assets } from '@crosstape/core';
import type { Connector, Publisher, Resource } from '../venue.ts';
import { etfFlows } from './etf-flows.ts';

const FILE_EVERY_MS = 600_000;
/** Stands for the asset in an address that an operator gives. */
const ASSET = '{asset}';

/** Pages about ETFs, nothing else. No limit is published; twice an hour is what people keep to [M]. Both pages may be asked for at once. */
export const farside: Publisher = {
  id: 'farside',
  name: 'Farside Investors',
  connector: connectorAt(
    'https://farside.co.uk',
    assets.map((asset) => etfFlows(asset)),
  ),
};

/**
 * The same pages from elsewhere: a URL, or the URL of a file that somebody else keeps fresh. `{asset}` in it becomes
 * `bitcoin` and `ethereum`; without it, one page has the tables of both.
 */
export function farsideAt(url: string): Publisher {
  const isFile = url.startsWith('file:');
  const [, scheme = 'file://', login, host = ''] = /^(https?:\/\/)(?:([^/?#]*)@)?([^/?#]*)/.exec(url) ?? [];
  const origin = scheme + host;
  const path = url.slice(login === undefined ? origin.length : origin.length + login.length + 1) || '/';
  const headers = login !== undefined && { headers: { authorization: basicAuthorization(new URL(url)) } };
  const resources = assets.map((asset) => ({
    ...etfFlows(asset, { path: path.replaceAll(ASSET, asset), ...headers }),
    ...(isFile && { everyMs: FILE_EVERY_MS, retryMs: FILE_EVERY_MS / 10 }),
  }));
  const label = `operator:${isFile ? 'file' : host}`;
  return { ...farside, label, connector: connectorAt(origin, resources) };
}

/** Name and password cannot be in an address that is asked for: they go in a header, as the bytes that `%xx` stands for. */
function basicAuthorization({ username, password }: URL): string {
  const byte = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));
  return `Basic ${btoa(`${username}:${password}`.replaceAll(/%([0-9a-f]{2})/gi, byte))}`;
}

function connectorAt(rest: string, resources: readonly Resource[]): Connector {
  return {
    origins: { rest, ws: '' },
    limits: { weightPerMinute: 8, requestsInFlight: 1, connectionsPerMinute: 4, messagesPerMinute: 4 },
    resources,
    feeds: [],
  };
}
