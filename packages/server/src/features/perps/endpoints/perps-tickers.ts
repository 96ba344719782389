import { roundTo } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { pricesByCoin } from '../prices.ts';
import { HALF_HOUR_MS, HALF_HOURS } from '../watch-closes.ts';
import { halfHoursTopic, snapshotTopic } from '../../../topics.ts';
import { perpQuery, readPerpRows } from '../perp-rows.ts';
import { recordedSinceMs, sinceTsOf } from '../recorded-since.ts';
import { coinsMeta } from '../../../http/envelope.ts';
import { suspectMeta, suspectsAmong } from '../cross-check/suspect-meta.ts';
import { PerpTicker } from '../schema.ts';
import { volumeByCoin } from '../volume.ts';
import { endpoint } from '../../context.ts';

const cacheSeconds = 30;
const PERCENT_DECIMALS = 4;
const unrecorded = Array.from({ length: HALF_HOURS }, () => null);

export const perpsTickers = endpoint({
  path: '/perps/tickers',
  summary: 'Prices of perpetuals',
  description:
    'Mark, index and mid price of coins on the primary venue, volume and change over 24 hours, and the closing prices of the last 48 half hours from the recorded tape.',
  query: Type.Object({ coins: perpQuery.properties.coins }),
  data: Type.Array(PerpTicker),
  meta: { ...coinsMeta, ...suspectMeta },
  cacheSeconds,
  examples: [
    { summary: 'Every coin', search: '' },
    { summary: 'Two coins', search: 'coins=BTC,ETH' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle({ coins }, context) {
    const { rows, meta, validUntilMs } = await readPerpRows(context, {
      table: 'prices',
      ...(coins && { coins }),
      venues: [context.resources.primaryVenue],
      cacheSeconds,
      byCoin: pricesByCoin,
    });
    const table = context.latest(snapshotTopic(context.resources.primaryVenue, 'volumes'));
    const volumes = table && volumeByCoin(table, context.nowMs);
    const halfHours = context.latest(halfHoursTopic);
    const since =
      halfHours && sinceTsOf(await recordedSinceMs(context), halfHours.untilMs - HALF_HOURS * HALF_HOUR_MS);
    const data = rows.map(({ venue, fetchedAt, value }): Static<typeof PerpTicker> => {
      const volume = volumes?.get(value.coin)?.value;
      return {
        coin: value.coin,
        venue,
        mark: value.mark,
        index: value.index ?? null,
        mid: value.mid ?? null,
        volume24h: volume?.coins ?? null,
        volume24hUsd: volume?.usd ?? null,
        change24hPct: value.prevDayPrice
          ? roundTo((value.mark / value.prevDayPrice - 1) * 100, PERCENT_DECIMALS)
          : null,
        closes: halfHours ? [...(halfHours.byCoin[value.coin] ?? unrecorded)] : [],
        closesUntil: halfHours?.untilMs ?? null,
        ...since,
        fetchedAt,
      };
    });
    return { data, meta: { ...meta, ...suspectsAmong(context, 'mark', data) }, validUntilMs };
  },
});
