import type { Treasury } from '@crosstape/core';
import type { Static } from 'typebox';
import { assetQuery, readOnchain } from '../read-onchain.ts';
import { TreasurySnap } from '../schema.ts';
import { endpoint } from '../../context.ts';

const cacheSeconds = 1_800;
const RETRY_AFTER_SECONDS = 60;

/** Every page has the totals of all. Omitted figures are computed from the rest of the answer, or 0. */
function snapOf(pages: readonly Treasury[]): Omit<Static<typeof TreasurySnap>, 'asset' | 'fetchedAt'> {
  const listed = pages.flatMap(({ companies }) => companies);
  const [totals] = pages;
  const valued = listed.find(({ valueUsd = 0, holdings }) => valueUsd > 0 && holdings > 0);
  const price = (valued?.valueUsd ?? 0) / (valued?.holdings ?? 1);
  const companies = listed.map((company) => ({
    name: company.name,
    symbol: company.symbol,
    country: company.country,
    totalHoldings: company.holdings,
    totalEntryValueUsd: company.entryValueUsd,
    totalCurrentValueUsd: company.valueUsd ?? company.holdings * price,
    percentageOfTotalSupply: company.supplyPct ?? 0,
  }));
  const sum = (field: 'totalHoldings' | 'totalCurrentValueUsd'): number =>
    companies.reduce((total, company) => total + company[field], 0);
  return {
    totalHoldings: totals?.holdings ?? sum('totalHoldings'),
    totalValueUsd: totals?.valueUsd ?? sum('totalCurrentValueUsd'),
    marketCapDominance: totals?.marketCapPct ?? 0,
    companies,
  };
}

export const onchainTreasuries = endpoint({
  path: '/onchain/treasuries',
  summary: 'Public company treasuries',
  description:
    'What public companies hold of an asset, the largest first, as CoinGecko counts it. 0 means that the cost or share is unknown.',
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
    const { rows, ...answer } = await readOnchain(context, {
      publisher: 'coingecko',
      tables: [table],
      cacheSeconds,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
    return { data: { asset, ...snapOf(rows[table]), fetchedAt: answer.meta.fetchedAt }, ...answer };
  },
});
