import { expect, it } from 'vitest';
import { spotVenueNames } from '../../analytics/spot-venues.ts';
import {
  publishSampleFeeds,
  publishSamplePrices,
  publishSampleTrades,
  startSampleDesk,
} from '../testing/sample-flows.ts';
import { publishSampleMarket } from '../testing/sample-market.ts';
import { sampleEtfFlows } from '../testing/sample-onchain.ts';
import { START_MS, startTestApi } from '../testing/test-api.ts';

it('names the days that the page tells in a way that makes no sense', async () => {
  const api = await startTestApi();
  const desk = startSampleDesk(api);
  publishSampleMarket(api);
  publishSamplePrices(api);
  publishSampleFeeds(api);
  publishSampleTrades(api);
  const flows = { ...sampleEtfFlows('bitcoin'), refusedDays: ['14 Sep 2026'] };
  api.table('farside', 'bitcoinEtfFlows', [flows], 3_600_000);
  api.clock.advance(1_000);
  const { body } = await api.get('/flows/etf');
  expect(body.data).toMatchObject({ daily: { cumulativeUsdm: 13.8, refusedDays: ['14 Sep 2026'] } });
  desk.stop();
  await api.close();
});

it('is as new as the newest of what it is made from, which nothing Korean is', async () => {
  const api = await startTestApi();
  const desk = startSampleDesk(api);
  publishSampleMarket(api);
  publishSamplePrices(api);
  publishSampleFeeds(api);
  publishSampleTrades(api);
  api.clock.advance(5_000);
  publishSamplePrices(api, { silent: spotVenueNames.map(({ source }) => source) });
  api.clock.advance(1_000);
  const [etf, kimchi] = [await api.get('/flows/etf'), await api.get('/flows/kimchi')];
  expect(etf.body.meta['fetchedAt']).toBe(START_MS);
  expect(etf.body.data).toMatchObject({ fetchedAt: START_MS });
  expect(kimchi.body.meta['fetchedAt']).toBe(START_MS + 5_000);
  desk.stop();
  await api.close();
});
