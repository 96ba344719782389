import { ManualClock, type Treasury } from '@crosstape/core';
import { onchainPublishers, type VenueRequest } from '@crosstape/venues';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator.ts';

const T0 = Date.UTC(2026, 10, 12, 12);
let simulator: Simulator;

beforeEach(async () => {
  simulator = await startSimulator({ port: 0, seed: 5, clock: new ManualClock(T0), sources: ['coingecko'] });
});

afterEach(() => simulator.close());

const resources = onchainPublishers.find(({ id }) => id === 'coingecko')?.connector?.resources ?? [];

/** Sent by a program that identifies itself. */
const headers = { 'user-agent': 'tests/1.0 (+https://tests.example)' };

async function pages(asset: 'bitcoin' | 'ethereum'): Promise<readonly Treasury[]> {
  const resource = resources.find(({ gives }) => gives[0] === `${asset}Treasury`);
  const read: Treasury[] = [];
  for (let next: VenueRequest | undefined = resource?.request; resource && next; ) {
    const body = await (await fetch(`${simulator.url}/coingecko${next.path}`, { headers })).json();
    const page = resource.parse(body, T0, {}, next.path);
    expect(page.refused).toEqual([]);
    read.push(...(page[`${asset}Treasury`] ?? []));
    next = page.more;
  }
  return read;
}

it('returns what companies hold, in pages, at the price of the market', async () => {
  const read = await pages('bitcoin');
  expect(read.map(({ companies }) => companies.length)).toEqual([250, 13]);
  const companies = read.flatMap((page) => page.companies);
  const [first] = read;
  expect(companies.reduce((sum, { holdings }) => sum + holdings, 0)).toBeCloseTo(first?.holdings ?? 0, 1);
  expect((first?.valueUsd ?? 0) / (first?.holdings ?? 1)).toBeCloseTo(
    simulator.market.quote('BTC', T0).index,
    1,
  );
  expect(companies.some(({ symbol }) => symbol === '')).toBe(true);
  expect(companies.some(({ entryValueUsd }) => entryValueUsd === 0)).toBe(true);
  expect(companies.map(({ holdings }) => holdings)).toEqual(
    companies.map(({ holdings }) => holdings).toSorted((a, b) => b - a),
  );
});

it('has one page of the companies with ether', async () => {
  expect((await pages('ethereum')).map(({ companies }) => companies.length)).toEqual([41]);
});

it('does not know every coin', async () => {
  const url = `${simulator.url}/coingecko/api/v3/companies/public_treasury/dogecoin`;
  expect((await fetch(url, { headers })).status).toBe(404);
});

it.each(['', 'node', 'crosstape', 'python-requests/2.32.3'])(
  'refuses the bare user agent %j with 403',
  async (agent) => {
    const url = `${simulator.url}/coingecko/api/v3/companies/public_treasury/bitcoin`;
    const response = await fetch(url, { headers: { 'user-agent': agent } });
    expect(response.status).toBe(403);
    expect(JSON.stringify(await response.json())).toContain('descriptive User-Agent');
  },
);
