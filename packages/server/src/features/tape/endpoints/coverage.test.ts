import { HOUR_MS } from '@crosstape/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { recordSampleTape } from '../../../api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

const REASON = 'no socket to the venue was up';
const recordedMs = START_MS - HOUR_MS;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ hasTape: true });
  publishSampleMarket(api);
  await recordSampleTape(api);
});
afterAll(() => api.close());

const stretches = [
  { from: recordedMs, to: recordedMs + 8_000, state: 'complete' },
  { from: recordedMs + 8_000, to: recordedMs + 12_000, state: 'missing', reason: REASON },
  { from: recordedMs + 12_000, to: START_MS, state: 'complete' },
];

it('returns the last 24 hours without a gap', async () => {
  const { status, headers, body } = await api.get('/coverage?coin=btc');
  expect(status).toBe(200);
  expect(headers['cache-control']).toBe('public, max-age=10');
  const before = {
    from: START_MS - 24 * HOUR_MS,
    to: recordedMs,
    state: 'missing',
    reason: 'before the record begins',
  };
  expect(body.data).toEqual([before, ...stretches]);
  expect(body.meta).toMatchObject({ recordingSince: recordedMs, source: 'hyperliquid', fetchedAt: START_MS });
});

it('keeps to its range, and returns nothing of the future', async () => {
  const { body } = await api.get(`/coverage?coin=BTC&from=${recordedMs}&to=${START_MS + HOUR_MS}`);
  expect(body.data).toEqual(stretches);
  const future = await api.get(`/coverage?coin=BTC&from=${START_MS}&to=${START_MS + 1}`);
  expect(future.body.data).toEqual([]);
});

it('knows a gap of one coin from those of others', async () => {
  const { body } = await api.get(`/coverage?coin=ETH&from=${recordedMs}`);
  expect(body.data).toEqual([{ from: recordedMs, to: START_MS, state: 'complete' }]);
});

it.each(['from=2&to=1', `from=${START_MS}`])('refuses %s: it must begin before it ends', async (search) => {
  const { status, body } = await api.get(`/coverage?coin=BTC&${search}`);
  expect(status).toBe(400);
  expect(body.error).toMatch(/`from` must be less than `to`/);
});
