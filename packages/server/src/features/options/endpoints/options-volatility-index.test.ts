import { DAY_MS } from '@crosstape/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { publishSampleOptions, sampleVolatility } from '../../../api/testing/sample-options.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';
import { type Demand, demandTopic } from '../../../topics.ts';

let api: TestApi;
let demands: Demand[];
beforeEach(async () => {
  api = await startTestApi();
  demands = [];
  api.bus.subscribe(demandTopic, (demand) => demands.push(demand));
});
afterEach(() => api.close());

it('has the days of the coin since a time, and requests them', async () => {
  publishSampleOptions(api);
  const { data, meta } = (await api.get('/options/volatility-index?underlying=btc')).body;
  expect(data).toEqual({
    underlying: 'BTC',
    points: sampleVolatility(START_MS).map(({ ts: t, ...levels }) => ({ t, ...levels })),
    cadenceMs: DAY_MS,
    fetchedAt: START_MS,
  });
  expect(meta).toEqual({ fetchedAt: START_MS, source: 'deribit' });
  expect(demands).toContainEqual({ venue: 'deribit', table: 'volatilityIndex', keys: ['BTC'] });
  const [, , today] = sampleVolatility(START_MS);
  const later = await api.get(`/options/volatility-index?underlying=BTC&sinceMs=${today?.ts}`);
  expect(later.body.data).toMatchObject({ points: [{ t: today?.ts }] });
});

it('serves a day-old index labelled stale, and none after that', async () => {
  publishSampleOptions(api);
  const failing = {
    source: 'deribit:volatility-index',
    gives: ['volatilityIndex'],
    status: 'down',
  } as const;
  api.health('deribit', { ...failing, error: 'No answer.' });
  api.clock.advance(DAY_MS - 1);
  const { body } = await api.get('/options/volatility-index?underlying=BTC');
  expect(body.meta).toMatchObject({ stale: true, ageMs: DAY_MS - 1 });
  api.clock.advance(1_001);
  const { status } = await api.get('/options/volatility-index?underlying=BTC');
  expect(status).toBe(503);
});

it('knows only coins with an index', async () => {
  const { status, body } = await api.get('/options/volatility-index?underlying=SOL');
  expect(status).toBe(400);
  expect(body.error).toContain('BTC, ETH');
});
