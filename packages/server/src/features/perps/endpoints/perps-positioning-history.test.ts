import { expect, it } from 'vitest';
import type { ApiOptions } from '../../../api/api.ts';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';
import type { LedgerSample } from '../samples/sample-block.ts';

const HOUR_MS = 3_600_000;
const path = '/perps/positioning/history';

const hour = (hoursAgo: number, value: number): LedgerSample => ({
  t: START_MS - hoursAgo * HOUR_MS,
  value,
  periodHours: 0,
  origin: 'venue',
});

async function openApi(read: ApiOptions['samples']['read']): Promise<TestApi> {
  const api = await startTestApi({ samples: { read, hasFolded: async () => true } });
  publishSampleMarket(api);
  return api;
}

it('returns the share that is long and the ratio, of all accounts of Binance unless another is requested', async () => {
  const asked: unknown[] = [];
  const api = await openApi(async (...wanted) => {
    asked.push(wanted);
    return [hour(1, 0.4558), hour(0, 1)];
  });
  const { body } = await api.get(`${path}?coin=btc`);
  expect(body.data).toEqual({
    coin: 'BTC',
    venue: 'binance',
    view: 'global',
    basis: 'accounts',
    points: [
      { t: START_MS - HOUR_MS, longFraction: 0.4558, longShortRatio: 0.8376, origin: 'venue' },
      { t: START_MS, longFraction: 1, longShortRatio: null, origin: 'venue' },
    ],
    cadenceMs: HOUR_MS,
    retention: '1825d',
    enabled: true,
    fetchedAt: START_MS,
  });
  const top = await api.get(`${path}?coin=BTC&venue=OKEX&view=top&interval=1h&sinceMs=5&end=9&limit=3`);
  expect(top.body.data).toMatchObject({ venue: 'okx', view: 'top', basis: 'positions' });
  expect(asked).toEqual([
    [{ kind: 'globalLongs', venue: 'binance', coin: 'BTC' }, '1h', { sinceMs: 0, limit: 10_001 }],
    [{ kind: 'topLongs', venue: 'okx', coin: 'BTC' }, '1h', { sinceMs: 5, endMs: 9, limit: 4 }],
  ]);
  await api.close();
});

it.each([
  ['coin=BTC&venue=bybit&view=top', 400],
  ['coin=BTC&venue=hyperliquid', 400],
  ['coin=BTC&interval=10m', 400],
  ['coin=BTC&limit=10001', 400],
  ['coin=NOPE', 404],
])('refuses %s', async (search, status) => {
  const api = await openApi(async () => []);
  expect((await api.get(`${path}?${search}`)).status).toBe(status);
  await api.close();
});

it('pages back', async () => {
  const hours = [4, 3, 2, 1, 0].map((ago) => hour(ago, 0.5));
  const api = await openApi(async (_series, _interval, { endMs = Infinity, limit }) =>
    hours.filter(({ t }) => t < endMs).slice(-(limit ?? 0)),
  );
  const pages: unknown[] = [];
  for (let end: number | null = START_MS + 1; end !== null; ) {
    const { body } = await api.get(`${path}?coin=BTC&limit=2&end=${end}`);
    pages.unshift((body.data as { points: readonly { t: number }[] }).points.map(({ t }) => t));
    end = (body.meta as { nextEnd: number | null }).nextEnd;
  }
  expect(pages).toEqual([[4], [3, 2], [1, 0]].map((page) => page.map((ago) => START_MS - ago * HOUR_MS)));
  await api.close();
});

it('reports a history that cannot be read, and has it as CSV', async () => {
  const failing = await openApi(() => Promise.reject(new Error('the disk is gone')));
  expect((await failing.get(`${path}?coin=BTC`)).body.data).toMatchObject({ enabled: false, points: [] });
  await failing.close();
  const api = await openApi(async () => [hour(0, 0.75)]);
  const { text } = await api.get(`${path}?coin=BTC&format=csv`);
  expect(text.trim().split(/\r?\n/)).toEqual([
    't,longFraction,longShortRatio,origin',
    `${START_MS},0.75,3,venue`,
  ]);
  await api.close();
});
