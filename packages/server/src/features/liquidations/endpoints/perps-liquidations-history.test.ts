import { DAY_MS, HOUR_MS } from '@crosstape/core';
import { beforeEach, expect, it } from 'vitest';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { START_MS, startTestApi } from '../../../api/testing/test-api.ts';
import type { VenueConnection } from '../liquidation-connection.ts';
import { MemoryStore } from '../../../store/testing/memory-store.ts';
import type { HourOfLiquidations } from '../hour-sums.ts';
import { LiquidationHourTable } from '../hour-table.ts';

type History = {
  readonly points: readonly Record<string, unknown>[];
  readonly venues: readonly Record<string, unknown>[];
  readonly coins: readonly Record<string, unknown>[];
  readonly recordingSince: number | null;
};

const NOW_HOUR = Math.floor(START_MS / HOUR_MS) * HOUR_MS;
const TODAY = Math.floor(START_MS / DAY_MS) * DAY_MS;

let hours: LiquidationHourTable;
beforeEach(() => {
  hours = new LiquidationHourTable(new MemoryStore());
});

const hour = (
  [long, short]: readonly [number, number],
  parts: Partial<HourOfLiquidations> = {},
): HourOfLiquidations => ({
  venues: {
    bybit: { connectedMs: HOUR_MS, measured: [long, short, 2] },
    hyperliquid: { connectedMs: HOUR_MS },
  },
  coins: { BTC: [long, short] },
  ...parts,
});

async function ask(search = ''): Promise<{ readonly history: History; readonly meta: object }> {
  const api = await startTestApi({ liquidationHours: hours });
  publishSampleMarket(api);
  const { status, body } = await api.get(`/perps/liquidations/history${search}`);
  expect(status).toBe(200);
  await api.close();
  return { history: body.data as unknown as History, meta: body.meta as object };
}

it('gives recorded hours by side, method and venue, and none that were not recorded', async () => {
  await hours.put([
    { ts: NOW_HOUR - 5 * HOUR_MS, hour: hour([10, 0.1]) },
    {
      ts: NOW_HOUR - 3 * HOUR_MS,
      hour: hour([0, 0], {
        venues: { hyperliquid: { connectedMs: HOUR_MS / 2, inferred: [7, 3, 1] } },
        coins: { ETH: [7, 3] },
        unconverted: true,
      }),
    },
  ]);
  const { history } = await ask();
  expect(history.points).toEqual([
    {
      ts: NOW_HOUR - 5 * HOUR_MS,
      longUsd: 10,
      shortUsd: 0.1,
      measured: { longUsd: 10, shortUsd: 0.1, count: 2 },
      inferred: { longUsd: 0, shortUsd: 0, count: 0 },
      byVenue: { bybit: [10, 0.1] },
      complete: true,
    },
    {
      ts: NOW_HOUR - 3 * HOUR_MS,
      longUsd: 7,
      shortUsd: 3,
      measured: { longUsd: 0, shortUsd: 0, count: 0 },
      inferred: { longUsd: 7, shortUsd: 3, count: 1 },
      byVenue: { hyperliquid: [7, 3] },
      complete: false,
      unconverted: true,
    },
  ]);
  expect(history.recordingSince).toBe(NOW_HOUR - 5 * HOUR_MS);
});

it('reports for each venue how its liquidations are known, since when, and for how much of the time', async () => {
  const elapsedMs = START_MS - NOW_HOUR + 4 * HOUR_MS;
  await hours.put([
    { ts: NOW_HOUR - 4 * HOUR_MS, hour: hour([10, 5]) },
    {
      ts: NOW_HOUR - 2 * HOUR_MS,
      hour: hour([0, 0], {
        venues: {
          hyperliquid: { connectedMs: HOUR_MS, inferred: [100, 0, 4] },
          okx: { connectedMs: HOUR_MS },
        },
        coins: { BTC: [0, 1], ETH: [100, 0] },
      }),
    },
  ]);
  const { history } = await ask();
  const share = (ms: number): number => Math.round((ms / elapsedMs) * 10_000) / 10_000;
  expect(history.venues).toEqual([
    {
      venue: 'hyperliquid',
      longUsd: 100,
      shortUsd: 0,
      count: 4,
      method: 'inferred',
      sinceTs: NOW_HOUR - 4 * HOUR_MS,
      connectedShare: share(2 * HOUR_MS),
    },
    {
      venue: 'bybit',
      longUsd: 10,
      shortUsd: 5,
      count: 2,
      method: 'measured',
      sinceTs: NOW_HOUR - 4 * HOUR_MS,
      connectedShare: share(HOUR_MS),
    },
    {
      venue: 'okx',
      longUsd: 0,
      shortUsd: 0,
      count: 0,
      method: null,
      sinceTs: NOW_HOUR - 2 * HOUR_MS,
      connectedShare: share(HOUR_MS),
    },
  ]);
  expect(history.coins).toEqual([
    { coin: 'ETH', longUsd: 100, shortUsd: 0 },
    { coin: 'BTC', longUsd: 10, shortUsd: 6 },
  ]);
});

it('adds hours up to UTC days, complete only if every hour is', async () => {
  const day = (start: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({ ts: start + i * HOUR_MS, hour: hour([1, 2]) }));
  await hours.put([...day(TODAY - 2 * DAY_MS, 24), ...day(TODAY - DAY_MS, 23), ...day(TODAY, 1)]);
  const { history } = await ask('?interval=1d&days=3');
  expect(history.points).toMatchObject([
    { ts: TODAY - 2 * DAY_MS, longUsd: 24, shortUsd: 48, complete: true },
    { ts: TODAY - DAY_MS, longUsd: 23, shortUsd: 46, complete: false },
    { ts: TODAY, longUsd: 1, shortUsd: 2, complete: false },
  ]);
  expect((await ask('?interval=1d&days=2')).history.points).toHaveLength(2);
});

it('calls an hour complete if every venue was connected but for less than a minute', async () => {
  const missingMs = [0, 59_999, 60_000, HOUR_MS];
  const rows = missingMs.map((missing, i) => ({
    ts: NOW_HOUR - (9 - i) * HOUR_MS,
    hour: hour([1, 1], {
      venues: { bybit: { connectedMs: HOUR_MS }, okx: { connectedMs: HOUR_MS - missing } },
    }),
  }));
  const present = { ts: NOW_HOUR, hour: rows[0]?.hour ?? hour([1, 1]) };
  await hours.put([...rows, present]);
  const { history } = await ask('?days=1');
  expect(history.points.map(({ complete }) => complete)).toEqual([true, true, false, false, false]);
});

it('has as many hours as the days have, the one in progress included', async () => {
  const agoHours = [48, 47, 24, 23, 0];
  await hours.put(agoHours.map((ago) => ({ ts: NOW_HOUR - ago * HOUR_MS, hour: hour([1, 1]) })));
  const agoOf = async (search: string) =>
    (await ask(search)).history.points.map(({ ts }) => (NOW_HOUR - Number(ts)) / HOUR_MS);
  expect(await agoOf('?days=1')).toEqual([23, 0]);
  expect(await agoOf('?days=2')).toEqual([47, 24, 23, 0]);
});

it('returns nothing recorded as nothing, not as zeros', async () => {
  const { history, meta } = await ask('?days=30');
  expect(history).toMatchObject({ points: [], venues: [], coins: [], recordingSince: null });
  expect(meta).toMatchObject({ source: 'hyperliquid' });
});

it('has the score of inference only where something is inferred', async () => {
  await hours.put([{ ts: NOW_HOUR - HOUR_MS, hour: hour([1, 1]) }]);
  expect((await ask()).meta).not.toHaveProperty('inferenceScore');
  const venues = { bybit: { connectedMs: 0, measured: [9, 1, 2], inferred: [7, 3, 1] } } as const;
  await hours.put([{ ts: NOW_HOUR, hour: { venues, coins: { BTC: [16, 4] } } }]);
  const { meta, history } = await ask();
  expect(meta).toHaveProperty('inferenceScore.day');
  expect(history.venues[0]).toMatchObject({
    venue: 'bybit',
    method: 'both',
    longUsd: 17,
    shortUsd: 5,
    count: 5,
  });
});

it('lists the twenty coins with the most', async () => {
  const coins = Object.fromEntries(Array.from({ length: 22 }, (_, i) => [`C${i}`, [i, 0] as const]));
  await hours.put([{ ts: NOW_HOUR, hour: hour([1, 1], { coins }) }]);
  const { history } = await ask();
  expect(history.coins.map(({ coin }) => coin)).toEqual(Array.from({ length: 20 }, (_, i) => `C${21 - i}`));
});

it('names the feeds that are not connected or never were, and is stale when none is', async () => {
  const connection = (venue: string, to: number, isConnected: boolean): VenueConnection => ({
    venue,
    isConnected,
    spans: [{ venue, from: START_MS - 2 * DAY_MS, to }],
  });
  const metaOf = async (connections: readonly VenueConnection[]) => {
    const liquidations = { totals: () => new Map(), connections: () => connections, wholeSinceMs: 0 };
    const api = await startTestApi({ liquidationHours: hours, liquidations });
    const source = 'bybit:liquidations';
    api.health('bybit', { source, gives: ['liquidations'], status: 'blocked', error: 'HTTP 403.' });
    const { meta } = (await api.get('/perps/liquidations/history')).body;
    await api.close();
    return meta;
  };
  const sources = [
    {
      source: 'gate:liquidations',
      status: 'down',
      ageMs: 5_000,
      error: 'The liquidation feed of gate is not connected.',
    },
    { source: 'bybit:liquidations', status: 'blocked', ageMs: null, error: 'HTTP 403.' },
  ];
  const gone = connection('gate', START_MS - 5_000, false);
  expect(await metaOf([connection('okx', START_MS, true), gone])).toEqual({
    fetchedAt: START_MS,
    source: 'hyperliquid',
    partial: true,
    sources,
  });
  expect(await metaOf([gone])).toEqual({
    fetchedAt: START_MS - 5_000,
    source: 'hyperliquid',
    stale: true,
    ageMs: 5_000,
    partial: true,
    sources,
  });
});

it.each(['days=0', 'days=91', 'days=x', 'interval=1m'])('refuses %s', async (search) => {
  const api = await startTestApi({ liquidationHours: hours });
  expect((await api.get(`/perps/liquidations/history?${search}`)).status).toBe(400);
  await api.close();
});
