import { describe, expect, it } from 'vitest';
import { Failure } from '../../../platform/errors.ts';
import { publishSampleFlows } from '../../../api/testing/sample-flows.ts';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { type Body, START_MS, startTestApi } from '../../../api/testing/test-api.ts';

describe('/flows/history', () => {
  const points = [
    {
      t: START_MS,
      v: 1.5,
      partial: false,
      stale: false,
      source: 'coinbase',
      sources: [],
      coverage: { globalSpot: 'full', kimchi: 'live', etfProxy: 'live', primaryMicro: 'live' },
    },
  ];

  async function askHistory(
    read: (order: object) => Promise<{ json: Uint8Array; newest?: { t: number; names: string[] } }>,
    path = 'history?coin=btc&metric=proxyPremiumBps',
  ): Promise<{ status: number; body: Body }> {
    const other = await startTestApi({ flowHistory: { read } });
    publishSampleMarket(other);
    publishSampleFlows(other);
    const { status, body } = await other.get(`/flows/${path}`);
    await other.close();
    return { status, body };
  }

  it('returns recorded points, and passes the query on', async () => {
    let asked: object | undefined;
    const { body } = await askHistory(
      async (order) => {
        asked = order;
        const json = new TextEncoder().encode(JSON.stringify(points));
        return { json, newest: { t: START_MS, names: ['coinbase', 'okx'] } };
      },
      `history?coin=btc&metric=proxyPremiumBps&sinceMs=${START_MS - 5}`,
    );
    expect(asked).toEqual({ coin: 'BTC', metric: 'proxyPremiumBps', sinceMs: START_MS - 5 });
    expect(body.data).toEqual({
      coin: 'BTC',
      metric: 'proxyPremiumBps',
      interval: '1m',
      points,
      retention: '7d',
      enabled: true,
      fetchedAt: START_MS,
    });
    expect(body.meta).toEqual({ fetchedAt: START_MS, source: 'coinbase+okx', partial: false, sources: [] });
  });

  it('reports that it is off when the store cannot be read, and returns no points', async () => {
    const { status, body } = await askHistory(() => Promise.reject(new Error('the disk is gone')));
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ enabled: false, points: [] });
  });

  it('reports that to earlier callers too, and returns points again when the store is back', async () => {
    let isAway = false;
    const json = new TextEncoder().encode(JSON.stringify(points));
    const read = () => (isAway ? Promise.reject(new Error('the disk is gone')) : Promise.resolve({ json }));
    const other = await startTestApi({ flowHistory: { read } });
    publishSampleMarket(other);
    const isEnabled = async (): Promise<unknown> => {
      const { body } = await other.get('/flows/history?coin=BTC&metric=proxyPremiumBps');
      return (body.data as unknown as { enabled: boolean }).enabled;
    };
    expect(await isEnabled()).toBe(true);
    isAway = true;
    other.clock.advance(60_000);
    expect(await isEnabled()).toBe(false);
    isAway = false;
    other.clock.advance(5_000);
    expect(await isEnabled()).toBe(true);
    await other.close();
  });

  it('does not take a busy service for a store that is away', async () => {
    const { status } = await askHistory(() => Promise.reject(new Failure('overloaded', 'Too many jobs.')));
    expect(status).toBe(503);
  });

  it('reports an unreadable record as off', async () => {
    const away = new Failure('upstream_unavailable', 'The record cannot be read at the moment.');
    const { status, body } = await askHistory(() => Promise.reject(away));
    expect([status, body.data]).toMatchObject([200, { enabled: false, points: [] }]);
  });

  it('names the recorded coins when another is requested', async () => {
    const { status, body } = await askHistory(
      async () => ({ json: new TextEncoder().encode('[]') }),
      'history?coin=kPEPE&metric=sourcePartial',
    );
    expect([status, body.error]).toEqual([
      404,
      'The flows of kPEPE are not followed, only those of BTC, ETH, SOL.',
    ]);
  });
});
