import { type CatalogVenue, capabilities, type Capability, findVenue } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { Failure } from '../../../platform/errors.ts';
import { catalogVenueIds, neutralCodeRange } from '../venue-ids.ts';
import { venueName } from '../../../http/parameter.ts';
import { readMarkets } from '../read-markets.ts';
import { MarketsResponse, type VenueCatalogEntry } from '../schema.ts';
import { type Context, endpoint } from '../../context.ts';

const cacheSeconds = 30;
const PAGE_SIZE = 50;
const PAGE_SIZE_MAX = 500;

export const markets = endpoint({
  path: '/markets',
  summary: 'Venues and their markets',
  description:
    'The catalogue of venues and, with `exchange`, a page of the markets of one, as it lists them now: perpetuals, spot pairs, options, outcomes of prediction markets. They are in a fixed order, by kind and symbol, so that each is on exactly one page. A venue that is planned has none.',
  query: Type.Object({
    exchange: Type.Optional(
      Object.assign(venueName(catalogVenueIds), {
        description: `Venue whose markets are listed: its id, in any case, an alias (\`hl\`, \`bn\`) or a neutral code (${neutralCodeRange}). Omitted: the catalogue alone.`,
        examples: ['binance'],
      }),
    ),
    page: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Number of the page, from 0, which is the default; only with `exchange`.',
        examples: [1],
      }),
    ),
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGE_SIZE_MAX,
        description: `Markets on a page, ${PAGE_SIZE} by default; only with \`exchange\`.`,
        examples: [100],
      }),
    ),
  }),
  list: 'markets',
  data: MarketsResponse,
  cacheSeconds,
  examples: [
    { summary: 'The catalogue', search: '' },
    { summary: 'The markets of a venue', search: 'exchange=binance' },
    { summary: 'Another page of them', search: 'exchange=okx&page=1&pageSize=100' },
  ],
  errors: ['upstream_unavailable'],
  async handle({ exchange, ...paging }, context) {
    const venues = context.resources.venues.map((venue) => printVenue(venue, context));
    const ownMeta = { fetchedAt: context.resources.startedAtMs, source: context.label(['crosstape']) };
    if (exchange === undefined) {
      const [stray] = Object.keys(paging);
      if (stray !== undefined)
        throw new Failure(
          'bad_request',
          `Parameter \`${stray}\` is for the markets of a venue: \`exchange\` must name it.`,
        );
      return { data: { venues }, meta: ownMeta, asOfMs: Infinity };
    }
    const { page = 0, pageSize = PAGE_SIZE } = paging;
    const venue = findVenue(context.resources.venues, exchange);
    const reported =
      venue && venue.lists.length > 0 ? await readMarkets(context, venue, cacheSeconds) : undefined;
    const { markets: all = [], meta = ownMeta, asOfMs = Infinity, validUntilMs = Infinity } = reported ?? {};
    return {
      data: {
        venues,
        exchange,
        markets: all.slice(page * pageSize, (page + 1) * pageSize).map(({ symbol, coin, kind, label }) => ({
          exchange,
          symbol,
          coin: coin === '' ? null : coin,
          kind,
          label: label(),
        })),
        page,
        pageSize,
        total: all.length,
      },
      meta,
      asOfMs,
      validUntilMs,
    };
  },
});

function printVenue(
  { id, name, kind, status, supplies, hosts }: CatalogVenue,
  context: Context,
): Static<typeof VenueCatalogEntry> {
  return {
    id,
    name,
    kind,
    status,
    capabilities: Object.fromEntries(capabilities.map((one) => [one, supplies.has(one)])) as Record<
      Capability,
      boolean
    >,
    dataSource: hosts.length > 0 ? context.label(hosts) : 'none yet: its market data need a licence',
  };
}
