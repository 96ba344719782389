import { MINUTE_MS } from '@crosstape/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flowHistoryTopic } from '../../../topics.ts';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { publishSampleFlows } from '../../../api/testing/sample-flows.ts';
import { startTestApi, START_MS, type TestApi } from '../../../api/testing/test-api.ts';

/** The only report is one second after the start: the engine has stopped. */
const MADE_MS = START_MS + 1_000;
const HISTORY = 'history?coin=BTC&metric=flowPressureScore';
const paths = ['venue-spreads?coins=BTC', 'kimchi', 'etf', 'signals?coins=BTC', 'summary?coins=BTC'];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  publishSampleMarket(api);
  publishSampleFlows(api);
  api.bus.publish(flowHistoryTopic, { t: MADE_MS });
});
afterAll(() => api.close());

function passUntil(atMs: number): void {
  api.clock.advance(atMs - api.clock.now());
}

describe('reports that are not renewed', () => {
  it('are served as fresh for a few seconds', async () => {
    passUntil(MADE_MS + 4_000);
    for (const path of [...paths, HISTORY]) {
      const { status, body } = await api.get(`/flows/${path}`);
      expect([path, status, body.meta.stale]).toEqual([path, 200, undefined]);
    }
  });

  it('are then served as stale, with a growing age', async () => {
    for (const ageMs of [6_000, 9 * MINUTE_MS, 9 * MINUTE_MS + 5_000]) {
      passUntil(MADE_MS + ageMs);
      // Data recorded by the minute are not old after seconds.
      for (const path of ageMs < MINUTE_MS ? paths : [...paths, HISTORY]) {
        const { status, body } = await api.get(`/flows/${path}`);
        expect([path, status, body.meta.stale]).toEqual([path, 200, true]);
        expect(body.meta.ageMs).toBeGreaterThanOrEqual(ageMs);
        expect(body.meta.ageMs).toBeLessThanOrEqual(ageMs + 2_000);
      }
    }
  });

  it('claim nothing live, and name what is failing by now', async () => {
    const { body } = await api.get('/flows/summary?coins=BTC');
    const coverage = { globalSpot: 'none', kimchi: 'stale', etfProxy: 'stale', primaryMicro: 'stale' };
    expect(body.data).toMatchObject({ rows: [{ coverage }] });
    const { sources } = body.meta as { sources: { source: string }[] };
    expect(sources.map(({ source }) => source)).toEqual(expect.arrayContaining(['okx-spot', 'upbit']));
    const etf = await api.get('/flows/etf');
    expect(etf.body.data).toMatchObject({ spotProxy: { confidence: 'low', tapeComplete: false } });
  });

  it('are not served after ten minutes', async () => {
    passUntil(MADE_MS + 10 * MINUTE_MS + 1);
    for (const path of paths) {
      const { status } = await api.get(`/flows/${path}`);
      expect([path, status]).toEqual([path, 503]);
    }
  });

  it('leave the record as it is, which is old, and a source that says so', async () => {
    passUntil(MADE_MS + 11 * MINUTE_MS);
    const { status, body } = await api.get(`/flows/${HISTORY}`);
    const error = 'No flows have been reported in the last ten minutes.';
    const sources = [{ source: 'hyperliquid', status: 'stale', ageMs: null, error }];
    expect([status, body.meta]).toMatchObject([
      200,
      { stale: true, ageMs: 11 * MINUTE_MS, partial: true, sources },
    ]);
  });

  it('are looked for again at once when they are back', async () => {
    publishSampleFlows(api);
    const { body } = await api.get(`/flows/${HISTORY}`);
    expect(body.meta).toMatchObject({ stale: true, sources: [] });
    api.bus.publish(flowHistoryTopic, { t: api.clock.now() - MINUTE_MS });
    const next = await api.get(`/flows/${HISTORY}`);
    expect(next.body.meta).not.toHaveProperty('stale');
  });
});
