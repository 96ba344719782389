import { type Asset, HOUR_MS } from '@crosstape/core';
import { isBotWall } from '../bot-wall.ts';
import { readHtmlTables } from '../html-tables.ts';
import { Declined, Malformed, type Resource, type VenueRequest } from '../venue.ts';
import { readFlowTable } from './flow-table.ts';

/** Requests a web page; the client identifies itself. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en-GB,en;q=0.7',
};

/** Pages of the last weeks alone, which answer more often than those with all days [M]. */
const RECENT_PATHS: Readonly<Record<Asset, string>> = { bitcoin: '/btc/', ethereum: '/eth/' };

/**
 * Net flows of every spot ETF of an asset, by day since launch, in millions of dollars; one page [M]:
 * ```html
 * <table class="etf">
 *   <tr><th></th><th>Blackrock</th><th>Fidelity</th>…<th>Grayscale</th><th></th></tr>
 *   <tr><th>Date</th><th>IBIT</th><th>FBTC</th>…<th>GBTC</th><th>Total</th></tr>
 *   <tr><th>Fee</th><td>0.25%</td><td>0.25%</td>…<td>1.50%</td><td></td></tr>
 *   <tr><td><span class="tabletext">11 Jan 2024</span></td><td>111.7</td><td>227.0</td>…<td>(95.1)</td><td>655.3</td></tr>
 *   …
 *   <tr><td>Total</td>…</tr> <tr><td>Average</td>…</tr> …
 * ```
 * A dash is a figure that is not there (yet); 0.0 is one. The total of a day is the sum of what is there by now, so that
 * it grows through the evening. A row with its date alone is not reported yet; figures can have a footnote: `86.8*` [M].
 * Figures come between 22:00 and 06:00 UTC. More than two visits an hour are not wanted. The wall in front of the page
 * answers many servers with 403 [M].
 * https://farside.co.uk/bitcoin-etf-flow-all-data/
 */
export function etfFlows(asset: Asset, request: Partial<VenueRequest> = {}): Resource {
  return {
    name: `${asset}-etf-flows`,
    polled: 'always',
    everyMs: HOUR_MS,
    // A page that fails is requested again within a minute, then ever less often: seven times in a bad first hour.
    retryMs: 30_000,
    gives: [`${asset}EtfFlows`],
    weight: 1,
    format: 'text',
    request: {
      method: 'GET',
      path: `/${asset}-etf-flow-all-data/`,
      ...request,
      headers: { ...PAGE_HEADERS, ...request.headers },
    },
    // An address that an operator gives is the only one that is meant.
    ...(request.path === undefined && {
      fallback: {
        method: 'GET',
        path: RECENT_PATHS[asset],
        headers: { ...PAGE_HEADERS, ...request.headers },
      },
    }),
    remedy: 'ETF_SOURCE can name a page or file to read instead.',
    parse(body, receivedAtMs) {
      if (typeof body !== 'string') throw new Malformed('the page is not a text');
      if (isBotWall(body)) throw new Declined('blocked', 'the page is behind a bot-protection wall');
      const { flows, refused, notes } = readFlowTable(readHtmlTables(body), asset, receivedAtMs);
      return { [`${asset}EtfFlows`]: [flows], refused, ...(notes.length > 0 && { notes }) };
    },
  };
}
