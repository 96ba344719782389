import { afterEach, beforeEach, expect, it } from 'vitest';
import { spotVenueNames } from '../../spot/spot-venues.ts';
import {
  publishSampleFeeds,
  publishSamplePrices,
  publishSampleTrades,
  startSampleEngine,
} from '../../../api/testing/sample-flows.ts';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { sampleEtfFlows } from '../../../api/testing/sample-onchain.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

let api: TestApi;
let engine: ReturnType<typeof startSampleEngine>;
beforeEach(async () => {
  api = await startTestApi();
  engine = startSampleEngine(api);
  publishSampleMarket(api);
  publishSamplePrices(api);
  publishSampleFeeds(api);
  publishSampleTrades(api);
});
afterEach(async () => {
  engine.stop();
  await api.close();
});

it('names the days whose rows on the page are malformed', async () => {
  const flows = { ...sampleEtfFlows('bitcoin'), refusedDays: ['14 Sep 2026'] };
  api.table('farside', 'bitcoinEtfFlows', [flows], 3_600_000);
  api.clock.advance(1_000);
  const { body } = await api.get('/flows/etf');
  expect(body.data).toMatchObject({ daily: { cumulativeUsdm: 13.8, refusedDays: ['14 Sep 2026'] } });
});

it('is as new as the newest of what it is made from, which nothing Korean is', async () => {
  api.clock.advance(5_000);
  publishSamplePrices(api, { silent: spotVenueNames.map(({ source }) => source) });
  api.clock.advance(1_000);
  const [etf, kimchi] = [await api.get('/flows/etf'), await api.get('/flows/kimchi')];
  expect(etf.body.meta['fetchedAt']).toBe(START_MS);
  expect(etf.body.data).toMatchObject({ fetchedAt: START_MS });
  expect(kimchi.body.meta['fetchedAt']).toBe(START_MS + 5_000);
});

it('has the half of Coinbase alone while the source of the days is closed, and names it', async () => {
  const error = 'The venue answered HTTP 403.';
  const source = { source: 'farside:bitcoin-etf-flows', gives: ['bitcoinEtfFlows'] };
  // Nothing of the last week is known.
  api.table('farside', 'bitcoinEtfFlows', [], 3_600_000);
  api.health('farside', { ...source, status: 'blocked', error });
  api.clock.advance(1_000);
  const { status, body } = await api.get('/flows/etf');
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ daily: null, spotProxy: { confidence: expect.any(String) } });
  expect(body.meta).toMatchObject({ partial: true, sources: [{ source: source.source, error }] });
  expect(body.meta['source']).not.toContain('farside');
});
