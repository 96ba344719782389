import { expect, it } from 'vitest';
import type { ApiOptions } from '../../../api/api.ts';
import { publishSampleMarket, sampleHistories } from '../../../api/testing/sample-market.ts';
import { seedingTopic } from '../../../topics.ts';
import { START_MS, startTestApi } from '../../../api/testing/test-api.ts';
import { perpVenueIds } from '../../markets/venue-ids.ts';

async function ask(path: string, histories: ApiOptions['histories']): Promise<Record<string, unknown>> {
  const api = await startTestApi({ histories });
  publishSampleMarket(api);
  const { body } = await api.get(path);
  await api.close();
  return body.data as Record<string, unknown>;
}

it('returns recorded open interest of the primary venue', async () => {
  expect(await ask('/perps/oi/history?coin=btc', sampleHistories)).toEqual({
    coin: 'BTC',
    venue: 'hyperliquid',
    points: [{ t: START_MS - 600_000, v: 100.5 }],
    cadenceMs: 600_000,
    retention: '7d',
    enabled: true,
    recordingSince: START_MS - 600_000,
    fetchedAt: START_MS - 600_000,
  });
});

it('reports the start of recording while there are no samples, and no fetch time', async () => {
  const samples = async (): Promise<[]> => [];
  for (const path of ['/perps/oi/history?coin=BTC', '/perps/funding/history?coin=BTC']) {
    const api = await startTestApi({ histories: { samples } });
    publishSampleMarket(api);
    api.clock.advance(120_000);
    const { body } = await api.get(path);
    expect(body.data).toMatchObject({ points: [], recordingSince: START_MS, fetchedAt: START_MS });
    expect(body.meta).toMatchObject({ fetchedAt: START_MS });
    await api.close();
  }
});

it("returns recorded funding by venue, with each venue's own period", async () => {
  expect(await ask('/perps/funding/history?coin=BTC', sampleHistories)).toMatchObject({
    points: [
      {
        ts: START_MS - 600_000,
        byVenue: { hyperliquid: 0.0000125, binance: 0.0002 },
        nativePeriodHours: { hyperliquid: 1, binance: 4 },
      },
    ],
    periodHours: { hyperliquid: 1, binance: 8, bybit: 8, okx: 8 },
    enabled: true,
  });
});

it('passes on from when points are wanted', async () => {
  let asked: number | undefined;
  const samples = async (_coin: string, sinceMs: number): Promise<[]> => {
    asked = sinceMs;
    return [];
  };
  await ask(`/perps/oi/history?coin=BTC&sinceMs=${START_MS}`, { samples });
  expect(asked).toBe(START_MS);
});

it('reports that histories are off when the store cannot be read, and returns no points', async () => {
  const samples = (): Promise<never> => Promise.reject(new Error('the disk is gone'));
  for (const path of ['/perps/oi/history?coin=BTC', '/perps/funding/history?coin=BTC']) {
    const series = await ask(path, { samples });
    expect(series).toMatchObject({ enabled: false, points: [] });
    // Whether anything is recorded is unknown.
    expect(series).not.toHaveProperty('recordingSince');
  }
});

it('does not know a coin that the primary venue does not list', async () => {
  const api = await startTestApi();
  publishSampleMarket(api);
  expect((await api.get('/perps/oi/history?coin=NOPE')).status).toBe(404);
  await api.close();
});

it('reads again what the first-run history has brought meanwhile', async () => {
  let samples: ApiOptions['histories']['samples'] = async () => [];
  const api = await startTestApi({ histories: { samples: (...asked) => samples(...asked) } });
  publishSampleMarket(api);
  const pointsOf = async (): Promise<unknown> =>
    ((await api.get('/perps/oi/history?coin=BTC')).body.data as { points: unknown }).points;
  api.bus.publish(seedingTopic, { isDone: false, progress: 0 });
  expect(await pointsOf()).toEqual([]);
  samples = sampleHistories.samples;
  api.bus.publish(seedingTopic, { isDone: true, progress: 1 });
  expect(await pointsOf()).toHaveLength(1);
  await api.close();
});

it('returns years of any venue, saying where each point comes from', async () => {
  const asked: unknown[] = [];
  const read: ApiOptions['samples']['read'] = async (...wanted) => {
    asked.push(wanted);
    const at = { t: START_MS - 3_600_000, periodHours: 4 };
    return [
      { ...at, value: 0.5, origin: 'venue' },
      { ...at, t: START_MS, value: 0.25, origin: 'recorded' },
    ];
  };
  const api = await startTestApi({ samples: { read, hasFolded: async () => true } });
  publishSampleMarket(api);
  const dataOf = async (search: string): Promise<unknown> => (await api.get(`/perps/${search}`)).body.data;
  expect(await dataOf(`oi/history?coin=btc&venue=BN&interval=1h&sinceMs=5`)).toEqual({
    coin: 'BTC',
    venue: 'binance',
    points: [
      { t: START_MS - 3_600_000, v: 0.5, origin: 'venue' },
      { t: START_MS, v: 0.25, origin: 'recorded' },
    ],
    cadenceMs: 3_600_000,
    retention: '1825d',
    enabled: true,
    fetchedAt: START_MS,
  });
  expect(await dataOf('funding/history?coin=BTC&interval=10m')).toMatchObject({
    points: [
      { byVenue: { hyperliquid: 0.5, okx: 0.5 }, nativePeriodHours: { okx: 4 }, origin: { okx: 'venue' } },
      { ts: START_MS, origin: { binance: 'recorded' } },
    ],
    cadenceMs: 600_000,
    retention: '30d',
    periodHours: { hyperliquid: 1, binance: 8, bybit: 8, okx: 8 },
  });
  expect(asked).toEqual([
    [{ kind: 'openInterest', venue: 'binance', coin: 'BTC' }, '1h', { sinceMs: 5, limit: 10_001 }],
    ...['hyperliquid', 'binance', 'bybit', 'okx'].map((venue) => [
      { kind: 'funding', venue, coin: 'BTC' },
      '10m',
      { sinceMs: 0, limit: 10_001 },
    ]),
  ]);
  const { points, periodHours } = (await dataOf('funding/history?coin=BTC&venue=all&interval=1h')) as {
    readonly points: readonly { readonly byVenue: object }[];
    readonly periodHours: object;
  };
  expect(Object.keys(points[0]?.byVenue ?? {})).toEqual(Object.keys(periodHours));
  expect(Object.keys(periodHours)).toEqual(perpVenueIds);
  // It reports dollars, not contracts.
  expect((await api.get('/perps/oi/history?coin=BTC&venue=gate')).status).toBe(400);
  await api.close();
});

it('returns what is recorded before the ledger has it, on a first start', async () => {
  const hour = START_MS - (START_MS % 3_600_000);
  const funding = { okx: { rate: 0.5, nativePeriodHours: 4 }, bybit: { rate: 0.25, nativePeriodHours: 8 } };
  const samples: ApiOptions['histories']['samples'] = async (coin) =>
    [-7_200_000, -600_000, 0].map((ms) => ({ coin, t: hour + ms, funding }));
  let isFolded = false;
  const api = await startTestApi({
    histories: { samples },
    samples: { read: async () => [], hasFolded: async () => isFolded },
  });
  publishSampleMarket(api);
  const pointsOf = async (search: string): Promise<unknown> =>
    ((await api.get(`/perps/funding/history?coin=BTC&interval=1h${search}`)).body.data as { points: unknown })
      .points;
  const point = {
    byVenue: { okx: 0.5 },
    nativePeriodHours: { okx: 4 },
    origin: { okx: 'recorded' },
  };
  expect(await pointsOf('&venue=okx')).toEqual([
    { ts: hour - 7_200_000, ...point },
    { ts: hour, ...point },
  ]);
  isFolded = true;
  expect(await pointsOf('&venue=okx&limit=10')).toEqual([]);
  await api.close();
});

it('pages back through the ledger', async () => {
  const hours = Array.from({ length: 5 }, (_, i) => START_MS - i * 3_600_000).toReversed();
  const read: ApiOptions['samples']['read'] = async ({ venue }, _, { endMs = Infinity, limit }) =>
    hours
      .filter((t, i) => t < endMs && (venue !== 'okx' || i % 2 === 0))
      .slice(-(limit ?? 0))
      .map((t) => ({ t, value: 1, periodHours: 8, origin: 'venue' }));
  const api = await startTestApi({ samples: { read, hasFolded: async () => true } });
  publishSampleMarket(api);
  for (const path of ['oi/history?coin=BTC&venue=binance&interval=1h', 'funding/history?coin=BTC']) {
    const pages: (readonly unknown[])[] = [];
    for (let end: number | null = START_MS + 1; end !== null; ) {
      const { body } = await api.get(`/perps/${path}&limit=2&end=${end}`);
      const { points } = body.data as { points: readonly { t?: number; ts?: number }[] };
      pages.unshift(points.map(({ t, ts }) => t ?? ts));
      end = (body.meta as { nextEnd: number | null }).nextEnd;
    }
    expect(pages).toEqual([hours.slice(0, 1), hours.slice(1, 3), hours.slice(3)]);
  }
  expect((await api.get('/perps/oi/history?coin=BTC&limit=10001')).status).toBe(400);
  await api.close();
});
