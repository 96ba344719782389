import { HOUR_MS, MINUTE_MS, notionalUsdOf, type Trade } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import type { ApiOptions } from '../../../api/api.ts';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { START_MS, startTestApi } from '../../../api/testing/test-api.ts';

const T = Math.floor(START_MS / 600_000) * 600_000;

function sample(t: number, value: number) {
  return { t, value, periodHours: 0, origin: 'recorded' as const };
}

describe('/perps/oi/changes', () => {
  const read: ApiOptions['samples']['read'] = async ({ venue, coin }, interval) => {
    if (interval !== '10m' || coin !== 'BTC') return [];
    if (venue === 'okx') return [sample(T - 4 * HOUR_MS, 50)];
    const day = [sample(T - 24 * HOUR_MS, 80), sample(T - HOUR_MS, 125), sample(T, 100)];
    return venue === 'binance' ? day.slice(1) : day;
  };

  it('compares the newest sample with those of the same minute, and knows no others', async () => {
    const api = await startTestApi({ samples: { read, hasFolded: async () => true } });
    publishSampleMarket(api);
    const { body } = await api.get('/perps/oi/changes?venues=hyperliquid,binance,okx');
    expect(body.data).toEqual([
      {
        coin: 'BTC',
        venue: 'hyperliquid',
        t: T,
        oiContracts: 100,
        change1hPct: -20,
        change4hPct: null,
        change24hPct: 25,
      },
      {
        coin: 'BTC',
        venue: 'binance',
        t: T,
        oiContracts: 100,
        change1hPct: -20,
        change4hPct: null,
        change24hPct: null,
      },
    ]);
    expect(body.meta).toMatchObject({ fetchedAt: T });
    expect((await api.get('/perps/oi/changes?coins=btc,NOPE')).body.meta).toMatchObject({
      unknown: ['NOPE'],
    });
    expect((await api.get('/perps/oi/changes?coins=NOPE')).status).toBe(404);
    expect((await api.get('/perps/oi/changes?venues=gate')).status).toBe(400);
    await api.close();
  });

  it('is unavailable while the record cannot be read', async () => {
    const api = await startTestApi({
      samples: { read: () => Promise.reject(new Error('the disk is gone')), hasFolded: async () => true },
    });
    publishSampleMarket(api);
    expect((await api.get('/perps/oi/changes')).status).toBe(503);
    await api.close();
  });
});

describe('/perps/cvd', () => {
  it('sums what takers bought less what they sold up to now, over windows that are recorded', async () => {
    const api = await startTestApi({ hasTape: true });
    publishSampleMarket(api);
    const trade = (minutesAgo: number, side: 'buy' | 'sell', size: number): Trade => ({
      coin: 'BTC',
      venue: 'hyperliquid',
      side,
      price: 100,
      size,
      tid: 10_000 - minutesAgo,
      sameOrder: false,
      ts: START_MS - minutesAgo * MINUTE_MS,
      notionalUsd: notionalUsdOf(100, size),
    });
    await api.tape.record([trade(300, 'buy', 8), trade(120, 'sell', 3), trade(5, 'buy', 1)], 'sealed');
    const { body } = await api.get('/perps/cvd?coins=BTC');
    expect(body.data).toMatchObject([
      { coin: 'BTC', venue: 'hyperliquid', cvd1hUsd: 100, cvd4hUsd: -200, cvd24hUsd: null },
    ]);
    // A coin without a recorded trade is not reported.
    expect((await api.get('/perps/cvd?coins=ETH')).body.data).toEqual([]);
    await api.close();
  });
});
