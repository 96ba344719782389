import { assets } from '@crosstape/core';
import type { Connector, Publisher, Resource, VenueRequest } from '../venue.ts';
import { etfFlows } from './etf-flows.ts';

const FILE_EVERY_MS = 600_000;
/** Stands for the asset in an address that an operator gives. */
const ASSET = '{asset}';

/** Pages about ETFs, nothing else. No limit is published; twice an hour is what people keep to [M]. Both pages may be asked for at once. */
export const farside: Publisher = {
  id: 'farside',
  name: 'Farside Investors',
  terms: {
    takes: 'flows of the spot ETFs on bitcoin and ether, by fund and day',
    trust: 'undocumented',
    attribution: 'ETF flows: Farside Investors (farside.co.uk)',
    credit: { text: 'Data by Farside Investors', url: 'https://farside.co.uk' },
    termsUrl: 'https://farside.co.uk',
    termsNote:
      'Read from its web pages once an hour, under our own name. It grants no licence that we know of: ask before you publish, or bring your own table with ETF_SOURCE.',
  },
  connector: connectorAt(
    'https://farside.co.uk',
    assets.map((asset) => etfFlows(asset)),
  ),
};

/** The same under another name, by an operator's choice: its wall lets in what looks like a browser [M]. */
export function farsideAs(userAgent: string): Publisher {
  const resources = assets.map((asset) => ({
    ...etfFlows(asset, { headers: { 'user-agent': userAgent } }),
    notes: [`Asked with the User-Agent that the operator has set: ${userAgent}`],
  }));
  return { ...farside, connector: connectorAt('https://farside.co.uk', resources) };
}

/**
 * The same pages from elsewhere: a URL, or the URL of a file that somebody else keeps fresh. `{asset}` in it becomes
 * `bitcoin` and `ethereum`; without it, one page has the tables of both.
 */
export function farsideAt(url: string, headers: VenueRequest['headers'] = {}): Publisher {
  const isFile = url.startsWith('file:');
  const origin = isFile ? 'file://' : (/^https?:\/\/[^/?#]+/.exec(url)?.[0] ?? '');
  const path = url.slice(origin.length) || '/';
  const resources = assets.map((asset) => ({
    ...etfFlows(asset, { path: path.replaceAll(ASSET, asset), headers }),
    ...(isFile && { everyMs: FILE_EVERY_MS, retryMs: FILE_EVERY_MS / 20 }),
  }));
  const label = `operator:${isFile ? 'file' : origin.replace(/^https?:\/\//, '')}`;
  return { ...farside, label, connector: connectorAt(origin, resources) };
}

function connectorAt(rest: string, resources: readonly Resource[]): Connector {
  return {
    origins: { rest, ws: '' },
    limits: { weightPerMinute: 8, requestsInFlight: 1, connectionsPerMinute: 4, messagesPerMinute: 4 },
    resources,
    feeds: [],
  };
}
