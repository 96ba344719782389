import { marketKinds } from '@crosstape/core';
import { Type } from 'typebox';
import { choice } from '../../http/parameter.ts';
import { count, flag, number, orNull, resource, text, timeMs } from '../../http/field.ts';

const catalogExample = {
  id: 'hyperliquid',
  name: 'Hyperliquid',
  kind: 'dex',
  status: 'live',
  capabilities: {
    oi: true,
    funding: true,
    spot: false,
    liquidations: true,
    options: false,
    predictions: false,
  },
  dataSource: 'api.hyperliquid.xyz',
} as const;

export const VenueCatalogEntry = resource(
  'VenueCatalogEntry',
  'A venue and what it supplies.',
  {
    id: text('Venue id.'),
    name: text('Its name.'),
    kind: choice(['cex', 'dex', 'options', 'prediction', 'tradfi'], {
      description: 'What kind of venue it is.',
    }),
    status: choice(['live', 'planned'], { description: 'Whether it is connected.' }),
    capabilities: Type.Object(
      {
        oi: flag('Open interest.'),
        funding: flag('Funding rates.'),
        spot: flag('Spot prices.'),
        liquidations: flag('Liquidations.'),
        options: flag('Options.'),
        predictions: flag('Prediction markets.'),
      },
      { description: 'What it supplies.' },
    ),
    dataSource: text(
      'Hosts that its data come from, joined by `+`; each prefixed `sim:` when a simulator stands in for it.',
    ),
  },
  catalogExample,
);

export const MarketInfo = resource(
  'MarketInfo',
  'A market of a venue.',
  {
    exchange: text('Venue id.'),
    symbol: text("The venue's spelling."),
    coin: orNull(Type.String(), 'Ticker of the coin; null when the market is not on one.'),
    kind: choice(marketKinds, { description: 'Type of market.' }),
    label: text('Display name.'),
  },
  { exchange: 'hyperliquid', symbol: 'BTC', coin: 'BTC', kind: 'perp', label: 'BTC perpetual' },
);

export const MarketsResponse = resource(
  'MarketsResponse',
  'The catalogue of venues and, with `exchange`, a page of the markets of one.',
  {
    venues: Type.Array(VenueCatalogEntry, { description: 'The catalogue.' }),
    exchange: Type.Optional(text('The asked venue; present with `exchange`.')),
    markets: Type.Optional(
      Type.Array(MarketInfo, { description: 'A page of its markets; present with `exchange`.' }),
    ),
    page: Type.Optional(count('Number of the page, from 0; present with `exchange`.')),
    pageSize: Type.Optional(count('Markets per page; present with `exchange`.')),
    total: Type.Optional(
      count(
        'Markets on all pages; present with `exchange`. Of Polymarket those of the 300 most liquid events that take orders and have two outcomes, each outcome a market: not all that the venue has.',
      ),
    ),
  },
  {
    venues: [catalogExample],
    exchange: 'hyperliquid',
    markets: [{ exchange: 'hyperliquid', symbol: 'BTC', coin: 'BTC', kind: 'perp', label: 'BTC perpetual' }],
    page: 0,
    pageSize: 50,
    total: 1,
  },
);

export const PointsRow = resource(
  'PointsRow',
  'One value, of one venue or folded over several.',
  {
    type: text('The kind of value.'),
    coin: text('Ticker of the coin.'),
    exchange: text('Venue id; `AGG` for a folded row.'),
    value: number('The value in `unit`; a sum in a folded row.'),
    unit: choice(['USD', 'RATE_8H'], { description: '`RATE_8H`: decimal fraction per 8 hours.' }),
    byExchange: Type.Record(Type.String(), Type.Number(), {
      description: 'Venue id to its value in `unit`.',
    }),
    fetchedAt: timeMs('When the newest of the values was fetched.'),
    mean: Type.Optional(number('Mean of the values, in folded rows of rates and prices.')),
    count: Type.Optional(count('Number of the values, in folded rows of rates and prices.')),
    staleExchanges: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Ids of the venues whose value is old: a spot price by more than 60 s, open interest and funding by three refreshes. Absent when there are none.',
      }),
    ),
  },
  {
    type: 'FUNDING_AGG',
    coin: 'BTC',
    exchange: 'AGG',
    value: 0.0002,
    unit: 'RATE_8H',
    byExchange: { hyperliquid: 0.0001, binance: 0.0001 },
    fetchedAt: 1_790_000_000_000,
    mean: 0.0001,
    count: 2,
  },
);

export const PointsResponse = resource(
  'PointsResponse',
  'The answer of the generic aggregation.',
  {
    type: text('What was requested.'),
    exchanges: Type.Array(Type.String(), { description: 'Ids of the requested venues.' }),
    groupBy: choice(['GROUP_BY_TYPE_NONE', 'GROUP_BY_TYPE_SUM'], { description: 'How rows were folded.' }),
    rows: Type.Array(PointsRow, { description: 'The values.' }),
  },
  {
    type: 'OI_AGG',
    exchanges: ['hyperliquid'],
    groupBy: 'GROUP_BY_TYPE_NONE',
    rows: [
      {
        type: 'OI_AGG',
        coin: 'BTC',
        exchange: 'hyperliquid',
        value: 2_871_440_112.35,
        unit: 'USD',
        byExchange: { hyperliquid: 2_871_440_112.35 },
        fetchedAt: 1_790_000_000_000,
      },
    ],
  },
);
