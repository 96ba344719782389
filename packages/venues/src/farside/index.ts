import { type Asset, assets } from '@crosstape/core';
import type { Connector, Publisher, Resource, VenueRequest } from '../venue.ts';
import { etfFlows } from './etf-flows.ts';

const FILE_EVERY_MS = 600_000;

/** Pages about ETFs, nothing else. No limit is published; twice an hour is what people keep to [M]. Both pages may be requested at once. */
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
  connector: connectorWith(assets.map((asset) => etfFlows(asset))),
};

/** Where an operator gets a page from: a URL, or the URL of a file that is kept fresh by other means. */
export interface EtfPage {
  readonly url: string;
  readonly headers?: VenueRequest['headers'];
}

export interface FarsideOptions {
  /** Pages that replace Farside's own. */
  readonly pages?: Readonly<Partial<Record<Asset, EtfPage>>>;
  /** For Farside's own pages, whose wall lets in what looks like a browser [M]. */
  readonly userAgent?: string | undefined;
}

/** The same publisher with an operator's pages and user agent. */
export function farsideWith({ pages = {}, userAgent }: FarsideOptions): Publisher {
  const resources = assets.map((asset) => {
    const page = pages[asset];
    if (page) return pageAt(asset, page);
    return userAgent === undefined ? etfFlows(asset) : pageAs(asset, userAgent);
  });
  return { ...farside, connector: connectorWith(resources) };
}

function pageAt(asset: Asset, { url, headers = {} }: EtfPage): Resource {
  const isFile = url.startsWith('file:');
  const origin = isFile ? 'file://' : (/^https?:\/\/[^/?#]+/.exec(url)?.[0] ?? '');
  return {
    ...etfFlows(asset, { origin, path: url.slice(origin.length) || '/', headers }),
    label: `operator:${isFile ? 'file' : origin.replace(/^https?:\/\//, '')}`,
    ...(isFile && { everyMs: FILE_EVERY_MS, retryMs: FILE_EVERY_MS / 20 }),
  };
}

function pageAs(asset: Asset, userAgent: string): Resource {
  return {
    ...etfFlows(asset, { headers: { 'user-agent': userAgent } }),
    notes: [`Asked with the User-Agent that the operator has set: ${userAgent}`],
  };
}

function connectorWith(resources: readonly Resource[]): Connector {
  return {
    origins: { rest: 'https://farside.co.uk', ws: '' },
    limits: { weightPerMinute: 8, requestsInFlight: 1, connectionsPerMinute: 4, messagesPerMinute: 4 },
    resources,
    feeds: [],
  };
}
