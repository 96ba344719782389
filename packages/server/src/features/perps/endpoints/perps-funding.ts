import { type Static, Type } from 'typebox';
import { fundingByCoin, scaleRate } from '../funding.ts';
import { snapshotTopic } from '../../../topics.ts';
import { hourlyFundingVenues } from '../../markets/venue-ids.ts';
import { type PerpQuery, type CoinData, perpQuery, readPerpRows } from '../perp-rows.ts';
import { coinsMeta } from '../../../http/envelope.ts';
import { suspectMeta, suspectsAmong } from '../cross-check/suspect-meta.ts';
import { FundingSnap } from '../schema.ts';
import { type Context, endpoint } from '../../context.ts';

const cacheSeconds = 30;

export const perpsFunding = endpoint({
  path: '/perps/funding',
  summary: 'Funding rates',
  description: `Current funding rate by coin and venue, of the contract with the most open interest. Rates are per hour on ${hourlyFundingVenues} and scaled to 8 hours elsewhere; \`native\` keeps the venue's own.`,
  query: perpQuery,
  data: Type.Array(FundingSnap),
  meta: { ...coinsMeta, ...suspectMeta },
  cacheSeconds,
  examples: [
    { summary: 'Every coin of the primary venue', search: '' },
    { summary: 'One coin across venues', search: 'coins=BTC&venues=hyperliquid,bybit' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  handle: readFunding,
});

export async function readFunding(
  asked: PerpQuery,
  context: Context,
): Promise<CoinData<Static<typeof FundingSnap>>> {
  const { rows, meta, validUntilMs } = await readPerpRows(context, {
    table: 'funding',
    ...asked,
    cacheSeconds,
    byCoin: (table) =>
      fundingByCoin(table, context.latest(snapshotTopic(table.venue, 'openInterest')), context.nowMs),
  });
  const data = rows.map(({ venue, convention, fetchedAt, isStale, value }) => ({
    coin: value.coin,
    venue,
    rate: scaleRate(value, convention.fundingPeriodHours),
    periodHours: convention.fundingPeriodHours,
    fetchedAt,
    native: { rate: value.rate, periodHours: value.periodHours },
    ...(value.nextFundingMs !== undefined && { nextFundingTs: value.nextFundingMs }),
    symbol: value.symbol,
    ...(isStale && { stale: true }),
  }));
  return { data, meta: { ...meta, ...suspectsAmong(context, 'funding', data) }, validUntilMs };
}
