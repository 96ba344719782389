import { DAY_MS, type Liquidation } from '@crosstape/core';
import { expect, it } from 'vitest';
import type { VenueConnection } from '../liquidation-connection.ts';
import { LiquidationWindow } from '../liquidation-window.ts';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

function liquidation(parts: Partial<Liquidation>): Liquidation {
  const usual = {
    coin: 'BTC',
    venue: 'binance',
    side: 'sell',
    price: 100,
    size: 1,
    notionalUsd: 100,
  } as const;
  return { ...usual, ts: START_MS - 1_000, inferred: false, ...parts };
}

function connected(venue: string, ...spans: readonly (readonly [number, number])[]): VenueConnection {
  return { venue, isConnected: true, spans: spans.map(([from, to]) => ({ venue, from, to })) };
}

async function start(
  entries: readonly Liquidation[],
  connections: readonly VenueConnection[],
): Promise<TestApi> {
  const window = new LiquidationWindow();
  for (const entry of entries) window.add(entry, START_MS);
  const liquidations = {
    totals: () => window.totals(START_MS),
    connections: () => connections,
    wholeSinceMs: 0,
  };
  const api = await startTestApi({ liquidations });
  publishSampleMarket(api);
  return api;
}

const dayAndMore = connected('binance', [START_MS - 2 * DAY_MS, START_MS]);

it('returns every coin with a liquidation, measured and inferred separately, and their sum', async () => {
  const api = await start(
    [
      liquidation({}),
      liquidation({ side: 'buy', notionalUsd: 30, venue: 'okx' }),
      liquidation({ notionalUsd: 500, venue: 'hyperliquid', inferred: true }),
    ],
    [dayAndMore],
  );
  const { body } = await api.get('/perps/liquidations');
  expect(body.data).toEqual([
    {
      coin: 'BTC',
      long24hUsd: 600,
      short24hUsd: 30,
      max24hUsd: 500,
      venues: ['binance', 'hyperliquid', 'okx'],
      fetchedAt: START_MS,
      measured: { longUsd: 100, shortUsd: 30, count: 2 },
      inferred: { longUsd: 500, shortUsd: 0, count: 1 },
      quotes: ['USD'],
    },
  ]);
  const [scored] = (await api.get('/audit/liquidations')).body.data as [{ day: string; total: object }];
  const { day, total } = scored;
  expect(body.meta).toEqual({
    fetchedAt: START_MS,
    source: 'hyperliquid+binance',
    inferenceScore: expect.objectContaining({ day }),
  });
  expect({ day, ...total }).toMatchObject((body.meta as { inferenceScore: object }).inferenceScore);
  await api.close();
});

it('has no score of inference where nothing is inferred', async () => {
  const api = await start([liquidation({})], [dayAndMore]);
  expect((await api.get('/perps/liquidations')).body.meta).not.toHaveProperty('inferenceScore');
  await api.close();
});

it('returns zeros for a requested coin without liquidations, and names unknown coins', async () => {
  const api = await start([], [dayAndMore]);
  const { body } = await api.get('/perps/liquidations?coins=eth,NOPE');
  expect(body.data).toMatchObject([{ coin: 'ETH', long24hUsd: 0, short24hUsd: 0, max24hUsd: 0, venues: [] }]);
  expect(body.meta).toMatchObject({ unknown: ['NOPE'] });
  expect((await api.get('/perps/liquidations?coins=NOPE')).status).toBe(404);
  await api.close();
});

it('says since when it listens until that is 24 hours', async () => {
  const sinceMs = START_MS - 3_600_000;
  const api = await start([liquidation({})], [connected('binance', [sinceMs, START_MS])]);
  const { body } = await api.get('/perps/liquidations');
  expect(body.meta).toMatchObject({ partial: true });
  expect(body.data).toMatchObject([{ sinceTs: sinceMs }]);
  await api.close();
});

it('names a venue that is disconnected, or was for part of the window', async () => {
  const withGap = connected(
    'okx',
    [START_MS - 2 * DAY_MS, START_MS - 3_600_000],
    [START_MS - 1_800_000, START_MS],
  );
  const gone = { ...connected('gate', [START_MS - 2 * DAY_MS, START_MS - 5_000]), isConnected: false };
  const api = await start([], [dayAndMore, withGap, gone]);
  const { body } = await api.get('/perps/liquidations');
  expect(body.meta).toMatchObject({
    partial: true,
    sources: [
      { source: 'okx:liquidations', status: 'stale', error: expect.stringContaining('30 of the last 1440') },
      { source: 'gate:liquidations', status: 'down', ageMs: 5_000 },
    ],
  });
  await api.close();
});

it('is stale, with its age, when no venue is connected', async () => {
  const gone = { ...connected('gate', [START_MS - 2 * DAY_MS, START_MS - 5_000]), isConnected: false };
  const api = await start([liquidation({})], [gone]);
  const { meta } = (await api.get('/perps/liquidations')).body;
  expect(meta).toMatchObject({ fetchedAt: START_MS - 5_000, stale: true, ageMs: 5_000, partial: true });
  await api.close();
});

it('is whole since the youngest record of the connected venues', async () => {
  const sinceMs = START_MS - 60_000;
  const gone = { ...connected('gate', [START_MS - 10_000, START_MS - 5_000]), isConnected: false };
  const api = await start([liquidation({})], [dayAndMore, connected('okx', [sinceMs, START_MS]), gone]);
  expect((await api.get('/perps/liquidations')).body.data).toMatchObject([{ sinceTs: sinceMs }]);
  await api.close();
});

it('names a venue whose feed has never come up', async () => {
  const api = await start([], [dayAndMore]);
  const error = 'The venue answered HTTP 403.';
  api.health('bybit', { source: 'bybit:liquidations', gives: ['liquidations'], status: 'blocked', error });
  expect((await api.get('/perps/liquidations')).body.meta).toMatchObject({
    partial: true,
    sources: [{ source: 'bybit:liquidations', status: 'blocked', ageMs: null, error }],
  });
  await api.close();
});
