import { summariseEtf } from '../etf-summary.ts';
import { Failure } from '../../../platform/errors.ts';
import { assetQuery, readOnchain } from '../read-onchain.ts';
import { EtfFlowsSnap } from '../schema.ts';
import { endpoint } from '../../context.ts';

const cacheSeconds = 3_600;
/** A page that failed is first requested again within a minute. */
const RETRY_AFTER_SECONDS = 60;

export const onchainEtfFlows = endpoint({
  path: '/onchain/etf-flows',
  summary: 'Spot ETF flows',
  description:
    'Net flows of the US spot ETFs of an asset on the trading days of the last 30 calendar days, in millions of USD. Funds report through the night after a day: until all expected funds have reported, the day is `partial` and its total covers the reported ones. A value that is not yet reported is absent, never 0.',
  query: assetQuery,
  data: EtfFlowsSnap,
  cacheSeconds,
  examples: [
    { summary: 'Bitcoin', search: '' },
    { summary: 'Ether', search: 'asset=ethereum' },
  ],
  errors: ['upstream_unavailable'],
  async handle({ asset }, context) {
    const table = `${asset}EtfFlows` as const;
    const { rows, meta, asOfMs, validUntilMs } = await readOnchain(context, {
      publisher: 'farside',
      tables: [table],
      cacheSeconds,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
    const [flows] = rows[table];
    // As of the page's last poll, so that the answer does not change until the next one.
    const summary = flows && summariseEtf(flows, asOfMs);
    if (!flows || !summary) {
      throw new Failure('upstream_unavailable', `No day of the ${asset} ETFs is complete yet.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        meta: { source: meta.source },
      });
    }
    const { cumulativeFromMs } = summary;
    const data = {
      asset,
      tickers: [...flows.tickers],
      rows: summary.days.map(({ label, dayMs, flowsUsdm, totalUsdm, isPartial }) => ({
        dateLabel: label,
        dateMs: dayMs,
        values: { ...flowsUsdm },
        total: totalUsdm,
        ...(isPartial && { partial: true }),
      })),
      latestTotalUsdm: summary.latest.totalUsdm,
      cumulativeUsdm: summary.cumulativeUsdm,
      fetchedAt: meta.fetchedAt,
      latestDateMs: summary.latest.dayMs,
      ...(cumulativeFromMs !== undefined && { cumulativeFromMs }),
      ...(flows.refusedDays && { refusedDays: [...flows.refusedDays] }),
    };
    return { data, meta, asOfMs, validUntilMs };
  },
});
