import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { publishSampleMarket, samplePrints } from '../../../api/testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi({ prints: samplePrints });
});
afterEach(() => api.close());

const trades = { source: 'hyperliquid:trades', gives: ['trades'] };

const tidsOf = (data: unknown): unknown[] => (data as { tid: number }[]).map((row) => row.tid);

describe('/perps/whales', () => {
  it('gives the large prints, newest first, and says since when the record is complete', async () => {
    publishSampleMarket(api);
    const { status, headers, body } = await api.get('/perps/whales');
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('public, max-age=10');
    expect((body.data as object[])[0]).toEqual({
      coin: 'BTC',
      side: 'buy',
      notionalUsd: 300_000,
      price: 100_000,
      ts: START_MS - 1_000,
      venue: 'hyperliquid',
      size: 3,
      fills: 2,
      tid: 3,
    });
    expect(body.meta).toEqual({
      fetchedAt: START_MS,
      source: 'hyperliquid',
      recordedSince: START_MS - 3_600_000,
    });
  });

  it.each([
    ['', [3, 2, 1]],
    ['?minUsd=200000', [3]],
    ['?minUsd=1e5&coin=btc', [3, 1]],
    ['?coin=ETH', [2]],
    [`?sinceMs=${START_MS - 2_000}`, [3, 2]],
    ['?limit=1', [3]],
    ['?coin=pepe', []],
  ])('takes %s', async (search, tids) => {
    publishSampleMarket(api);
    expect(tidsOf((await api.get(`/perps/whales${search}`)).body.data)).toEqual(tids);
  });

  it('answers 404 for an unknown coin', async () => {
    publishSampleMarket(api);
    const { status, body } = await api.get('/perps/whales?coin=nope');
    expect(status).toBe(404);
    expect(body.error).toContain('nope');
  });

  it('is reused for a second at most', async () => {
    publishSampleMarket(api);
    const newest = vi.fn(async () => ({ prints: samplePrints, recordedSinceMs: 0 }));
    const counted = await startTestApi({
      whales: { newest, ofMarket: async () => [], ofMarkets: async () => [] },
    });
    publishSampleMarket(counted);
    await counted.get('/perps/whales');
    await counted.get('/perps/whales');
    expect(newest).toHaveBeenCalledTimes(1);
    counted.clock.advance(1_000);
    await counted.get('/perps/whales');
    expect(newest).toHaveBeenCalledTimes(2);
    await counted.close();
  });

  it('serves the record as stale while the feed is down, and refuses after ten minutes', async () => {
    publishSampleMarket(api);
    api.clock.advance(60_000);
    api.health('hyperliquid', {
      ...trades,
      status: 'down',
      error: 'The socket is cut.',
      lastGoodMs: START_MS,
    });
    expect((await api.get('/perps/whales')).body.meta).toMatchObject({
      fetchedAt: START_MS,
      stale: true,
      ageMs: 60_000,
      sources: [{ source: 'hyperliquid:trades', status: 'down', error: 'The socket is cut.' }],
    });
    api.clock.advance(540_001);
    const { status, body } = await api.get('/perps/whales');
    expect(status).toBe(503);
    expect(body.error).toContain('The socket is cut.');
  });

  it('calls a feed stale whose health was not reported for a minute', async () => {
    publishSampleMarket(api);
    api.clock.advance(60_001);
    expect((await api.get('/perps/whales')).body.meta).toMatchObject({ stale: true, ageMs: 60_001 });
  });

  it('waits up to three seconds for the first word of the feed', async () => {
    const cold = await startTestApi();
    const first = cold.get('/perps/whales');
    await cold.fetch('/healthz');
    cold.health('hyperliquid', { ...trades, lastGoodMs: START_MS });
    expect((await first).status).toBe(200);

    const never = await startTestApi();
    const second = never.get('/perps/whales');
    await never.fetch('/healthz');
    never.clock.advance(3_000);
    expect((await second).status).toBe(503);
    await Promise.all([cold.close(), never.close()]);
  });
});
