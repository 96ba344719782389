import { sourceTerms } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { publishSampleOnchain } from '../api/testing/sample-onchain.ts';
import { startTestApi } from '../api/testing/test-api.ts';

const coingecko = {
  source: 'coingecko',
  text: 'Data provided by CoinGecko',
  url: 'https://www.coingecko.com',
};

it.each(['live', 'sim'] as const)(
  'names with a link who asks for it, in answers with its figures only (%s)',
  async (upstream) => {
    const api = await startTestApi({ upstream, sources: sourceTerms });
    publishSampleOnchain(api);
    const creditsOf = async (path: string): Promise<unknown> =>
      (await api.get(path)).body.meta['attribution'];
    expect(await creditsOf('/onchain/treasuries')).toEqual([coingecko]);
    expect(await creditsOf('/onchain/etf-flows')).toMatchObject([{ source: 'farside' }]);
    expect(await creditsOf('/onchain/valuation')).toMatchObject([{ source: 'bitcoindata' }]);
    expect(await creditsOf('/markets')).toBeUndefined();
    const rows = (await api.get('/sources')).body.data as { id: string; credit?: object }[];
    const { source: _, ...credit } = coingecko;
    expect(rows.find(({ id }) => id === 'coingecko')?.credit).toEqual(credit);
    expect(rows.find(({ id }) => id === 'hyperliquid')).not.toHaveProperty('credit');
    await api.close();
  },
);
