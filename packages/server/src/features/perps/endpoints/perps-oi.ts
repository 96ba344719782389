import { type Static, Type } from 'typebox';
import { openInterestByCoin } from '../open-interest.ts';
import { quoteWorths } from '../../rates/quote-worth.ts';
import { type PerpQuery, type CoinData, perpQuery, readPerpRows } from '../perp-rows.ts';
import { coinsMeta } from '../../../http/envelope.ts';
import { suspectMeta, suspectsAmong } from '../cross-check/suspect-meta.ts';
import { OiSnap } from '../schema.ts';
import { withRateSources } from '../../rates/usd-rate-sources.ts';
import { type Context, endpoint } from '../../context.ts';

const cacheSeconds = 30;

export const perpsOi = endpoint({
  path: '/perps/oi',
  summary: 'Open interest',
  description:
    'Current open interest by coin and venue: one-sided, summed over the linear USDT and USDC perpetuals of the coin, and converted to USD by what these currencies are worth. Inverse contracts and equity, FX and commodity perpetuals are left out.',
  query: perpQuery,
  data: Type.Array(OiSnap),
  meta: { ...coinsMeta, ...suspectMeta },
  cacheSeconds,
  examples: [
    { summary: 'Every coin of the primary venue', search: '' },
    { summary: 'Two coins', search: 'coins=BTC,ETH' },
    { summary: 'One coin across venues', search: 'coins=BTC&venues=hyperliquid,binance,okx' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  handle: readOpenInterest,
});

export async function readOpenInterest(
  asked: PerpQuery,
  context: Context,
): Promise<CoinData<Static<typeof OiSnap>>> {
  const { rows, ...reading } = await readPerpRows(context, {
    table: 'openInterest',
    ...asked,
    cacheSeconds,
    byCoin(table) {
      const worthOf = quoteWorths((topic) => context.latest(topic), table.venue);
      return openInterestByCoin(table, context.nowMs, worthOf);
    },
  });
  const data = rows.map(({ venue, convention, fetchedAt, isStale, value }) => ({
    coin: value.coin,
    venue,
    oiUsd: value.usd,
    oiContracts: convention.isOiUsdOnly ? 0 : value.contracts,
    fetchedAt,
    ...(!convention.isOiUsdOnly && { oiCoin: value.coins }),
    symbol: value.symbol,
    quote: value.quote,
    ...(value.isUnconverted && { unconverted: true }),
    ...(isStale && { stale: true }),
  }));
  const rated = rows.map(({ value }) => value);
  const { meta, validUntilMs } = withRateSources(context, rated, reading);
  return { data, meta: { ...meta, ...suspectsAmong(context, 'openInterest', data) }, validUntilMs };
}
