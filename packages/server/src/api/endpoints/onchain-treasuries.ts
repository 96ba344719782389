import { endpoint } from '../endpoint.ts';
import { assetQuery, readOnchain } from '../read-onchain.ts';
import { TreasurySnap } from '../schemas/onchain.ts';

const cacheSeconds = 1_800;
const RETRY_AFTER_SECONDS = 60;

export const onchainTreasuries = endpoint({
  path: '/onchain/treasuries',
  summary: 'Treasuries of public companies',
  description:
    'What public companies hold of an asset, the largest first, as CoinGecko counts it. An entry value of 0 is not known.',
  query: assetQuery,
  data: TreasurySnap,
  cacheSeconds,
  examples: [
    { summary: 'Bitcoin', search: '' },
    { summary: 'Ether', search: 'asset=ethereum' },
  ],
  errors: ['upstream_unavailable'],
  async handle({ asset }, context) {
    const table = `${asset}Treasury` as const;
    const { rows, ...told } = await readOnchain(context, {
      publisher: 'coingecko',
      tables: [table],
      cacheSeconds,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
    const pages = rows[table];
    const data = {
      asset,
      // Every page tells the totals of all.
      totalHoldings: pages[0]?.holdings ?? 0,
      totalValueUsd: pages[0]?.valueUsd ?? 0,
      marketCapDominance: pages[0]?.marketCapPct ?? 0,
      companies: pages
        .flatMap(({ companies }) => companies)
        .map((company) => ({
          name: company.name,
          symbol: company.symbol,
          country: company.country,
          totalHoldings: company.holdings,
          totalEntryValueUsd: company.entryValueUsd,
          totalCurrentValueUsd: company.valueUsd,
          percentageOfTotalSupply: company.supplyPct,
        })),
      fetchedAt: told.meta.fetchedAt,
    };
    return { data, ...told };
  },
});
