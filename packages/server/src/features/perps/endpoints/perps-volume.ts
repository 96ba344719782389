import { type Static, Type } from 'typebox';
import { coinsMeta } from '../../../http/envelope.ts';
import { endpoint } from '../../context.ts';
import { quoteWorths } from '../../rates/quote-worth.ts';
import { withRateSources } from '../../rates/usd-rate-sources.ts';
import { perpQuery, readPerpRows } from '../perp-rows.ts';
import { VolumeSnap } from '../schema.ts';
import { volumeByCoin } from '../volume.ts';

const cacheSeconds = 30;

export const perpsVolume = endpoint({
  path: '/perps/volume',
  summary: 'Volume by venue',
  description:
    "Volume of the last 24 hours by coin and venue, from each venue's own figures: summed over the linear USD, USDT and USDC perpetuals of the coin, and converted to USD by what these currencies are worth. `method` says whether the venue reports the amount or only the coins.",
  query: perpQuery,
  data: Type.Array(VolumeSnap),
  meta: coinsMeta,
  cacheSeconds,
  examples: [
    { summary: 'Every coin of the primary venue', search: '' },
    { summary: 'One coin across venues', search: 'coins=BTC&venues=hyperliquid,binance,okx' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle(asked, context) {
    const { rows, ...reading } = await readPerpRows(context, {
      table: 'volumes',
      ...asked,
      cacheSeconds,
      byCoin(table) {
        const worthOf = quoteWorths((topic) => context.latest(topic), table.venue);
        return volumeByCoin(table, context.nowMs, worthOf);
      },
    });
    const data = rows.map(
      ({ venue, fetchedAt, isStale, value }): Static<typeof VolumeSnap> => ({
        coin: value.coin,
        venue,
        volume24hUsd: value.usd,
        volume24h: value.coins ?? null,
        method: value.isEstimate ? 'lastPrice' : 'reported',
        fetchedAt,
        ...(value.isUnconverted && { unconverted: true }),
        ...(isStale && { stale: true }),
      }),
    );
    const rated = rows.map(({ value }) => value);
    return { data, ...withRateSources(context, rated, reading) };
  },
});
