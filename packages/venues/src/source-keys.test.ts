import { expect, it } from 'vitest';
import { bitcoindataWith, coingeckoWith } from './index.ts';

const KEY = 'c0ffee+1';

it('CoinGecko gets its demo key in a header, with every page', () => {
  const [resource] = coingeckoWith(KEY).connector?.resources ?? [];
  const company = { name: 'A', symbol: 'A', country: 'US', total_holdings: 1, total_entry_value_usd: 1 };
  const companies = Array.from({ length: 250 }, () => ({
    ...company,
    total_current_value_usd: 1,
    percentage_of_total_supply: 1,
  }));
  const body = { total_holdings: 1, total_value_usd: 1, market_cap_dominance: 1, companies };
  const { more } = resource?.parse(body, 0, {}, resource.request.path) ?? {};
  for (const request of [resource?.request, more]) {
    expect(request?.headers).toEqual({ 'x-cg-demo-api-key': KEY });
    expect(request?.path).not.toContain('c0ffee');
  }
});

it('BGeometrics gets its token in the query, where it takes it', () => {
  const resources = bitcoindataWith(KEY).connector?.resources ?? [];
  expect(resources).toHaveLength(5);
  for (const { request } of resources)
    expect(request.path).toMatch(/^\/v1\/[a-z-]+\/last\?token=c0ffee%2B1$/);
});
