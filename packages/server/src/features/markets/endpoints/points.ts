import { type CatalogVenue } from '@crosstape/core';
import { Type } from 'typebox';
import { foldPoints } from '../fold-points.ts';
import { Failure } from '../../../platform/errors.ts';
import { catalogVenueIds } from '../venue-ids.ts';
import { choice, coinName, commaList, defaulted, repeatable, venueName } from '../../../http/parameter.ts';
import { type LivePointType, type PointType, pointTypes } from '../read-points.ts';
import { coinsMeta } from '../../../http/envelope.ts';
import { PointsResponse } from '../schema.ts';
import { endpoint } from '../../context.ts';

const liveTypes = Object.keys(pointTypes) as LivePointType[];
const reservedTypes = ['TRADE_SIDE_AGNOSTIC_AGG', 'TPO_AGG', 'BLOCK_BOOK_SNAPSHOT_AGG'] as const;
const groupings = ['GROUP_BY_TYPE_NONE', 'GROUP_BY_TYPE_SUM'] as const;

export const points = endpoint({
  path: '/points',
  summary: 'Generic aggregation',
  description:
    'One value by coin and venue, or summed over venues by coin (`AGG`, with `byExchange`). `OI_AGG` is open interest as in `/perps/oi`, in USD; `FUNDING_AGG` funding as in `/perps/funding`, scaled to 8 hours (`RATE_8H`); `SPOT` prices as in `/markets/spot`, in USD. A sum of rates or prices comes with their `mean` and `count`. A venue that could not be read is missing from the sum, and `meta` says so; one whose value is old is in it, and named in `staleExchanges`.',
  query: Type.Object({
    type: choice([...liveTypes, ...reservedTypes], {
      description: `The kind of value: one of ${liveTypes.join(', ')}. The others are reserved and answered with 501.`,
      examples: ['OI_AGG'],
      reserved: reservedTypes,
    }),
    exchange: repeatable(venueName(catalogVenueIds), {
      description:
        'Venue: its id, in any case, an alias or a neutral code. Given once for each; every one must supply what is requested (see `/markets`).',
      examples: [['hyperliquid', 'binance']],
    }),
    coin: Type.Optional(
      repeatable(coinName({ description: 'Ticker.' }), {
        description: 'Ticker, in any case. Given once for each, beside or in place of `coins`.',
        examples: [['BTC']],
      }),
    ),
    coins: Type.Optional(
      commaList(coinName({ description: 'Ticker.' }), {
        description:
          'Tickers, in any case. Without any coin: the default coins of the resource behind it; in a sum of open interest or funding every coin that any of the venues lists.',
        examples: [['BTC', 'ETH']],
      }),
    ),
    'transform.groupBy.type': defaulted(
      choice(groupings, {
        description: '`GROUP_BY_TYPE_SUM` folds the venues of a coin into one row.',
        examples: ['GROUP_BY_TYPE_SUM'],
      }),
      'GROUP_BY_TYPE_NONE',
    ),
  }),
  data: PointsResponse,
  meta: coinsMeta,
  cacheSeconds: 20,
  examples: [
    {
      summary: 'Open interest on two venues',
      search: 'type=OI_AGG&exchange=hyperliquid&exchange=binance&coin=BTC',
    },
    {
      summary: 'The same in one sum',
      search: 'type=OI_AGG&exchange=hl&exchange=bn&coins=BTC,ETH&transform.groupBy.type=GROUP_BY_TYPE_SUM',
    },
  ],
  errors: ['not_found', 'not_implemented', 'upstream_unavailable'],
  async handle(query, context) {
    const { type, exchange: exchanges, 'transform.groupBy.type': groupBy } = query;
    // Reserved types were refused before.
    const pointType: PointType = pointTypes[type as LivePointType];
    refuseUnable(pointType, exchanges, context.resources.venues);
    const named = [...new Set([...(query.coin ?? []), ...(query.coins ?? [])])];
    const { coinsMax = Infinity } = pointType;
    if (named.length > coinsMax) {
      const many = `Parameters \`coin\` and \`coins\` have ${named.length} entries`;
      throw new Failure('bad_request', `${many}; for ${type} they may have up to ${coinsMax}.`);
    }
    const isSum = groupBy === 'GROUP_BY_TYPE_SUM';
    const {
      points: read,
      meta,
      validUntilMs,
    } = await pointType.read({ exchanges, isSum, ...(named.length > 0 && { coins: named }) }, context);
    const { unit, hasMean } = pointType;
    const rows = isSum
      ? foldPoints(read).map(({ mean, count, ...point }) => ({ ...point, ...(hasMean && { mean, count }) }))
      : read;
    return {
      data: {
        type,
        exchanges: [...exchanges],
        groupBy,
        rows: rows.map(({ coin, exchange, value, byExchange, fetchedAt, staleExchanges, ...extras }) => ({
          type,
          coin,
          exchange,
          value,
          unit,
          byExchange: { ...byExchange },
          fetchedAt,
          ...extras,
          ...(staleExchanges && { staleExchanges: [...staleExchanges] }),
        })),
      },
      meta,
      validUntilMs,
    };
  },
});

function refuseUnable(
  { capability, what }: PointType,
  exchanges: readonly string[],
  venues: readonly CatalogVenue[],
): void {
  const able = venues.filter(({ supplies }) => supplies.has(capability)).map(({ id }): string => id);
  const unable = exchanges.filter((id) => !able.includes(id));
  if (unable.length === 0) return;
  throw new Failure(
    'bad_request',
    `Parameter \`exchange\`: ${unable.join(', ')} ${unable.length === 1 ? 'has' : 'have'} no ${what}; it must be one of ${able.join(', ')}.`,
  );
}
