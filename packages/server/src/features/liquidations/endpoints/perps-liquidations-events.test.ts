import { DAY_MS, type Liquidation } from '@crosstape/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';
import { MemoryStore } from '../../../store/testing/memory-store.ts';
import { LiquidationEvents } from '../liquidation-events.ts';
import type { VenueConnection } from '../liquidation-connection.ts';
import { LiquidationTable } from '../liquidation-table.ts';

const row = (agoMs: number, parts: Partial<Liquidation> = {}): Liquidation => {
  const usual = { coin: 'BTC', venue: 'bybit', symbol: 'BTCUSDT', quote: 'USDT', inferred: false } as const;
  return {
    ...usual,
    side: 'sell',
    price: 100,
    size: agoMs,
    notionalUsd: 100,
    ts: START_MS - agoMs,
    ...parts,
  };
};

let api: TestApi;
let connections: readonly VenueConnection[] = [];
const connected = (venue: string, from: number, to: number): VenueConnection => ({
  venue,
  isConnected: to === START_MS,
  spans: [{ venue, from, to }],
});
beforeAll(async () => {
  const store = new MemoryStore();
  const {
    symbol: _,
    quote: __,
    ...inferred
  } = row(40, { venue: 'hyperliquid', side: 'buy', inferred: true });
  await new LiquidationTable(store).append(
    [
      ...[10, 20, 30].map((agoMs) => row(agoMs)),
      row(20, { size: 21 }),
      row(20, { coin: 'ETH', venue: 'okx', symbol: 'ETH-USDT-SWAP' }),
      inferred,
      row(2 * DAY_MS),
      row(31 * DAY_MS),
    ],
    [],
  );
  const liquidations = { totals: () => new Map(), connections: () => connections, wholeSinceMs: 0 };
  api = await startTestApi({ liquidationEvents: new LiquidationEvents(store), liquidations });
  publishSampleMarket(api);
});
afterAll(() => api.close());

const agoOf = (data: unknown): number[] => (data as { ts: number }[]).map(({ ts }) => START_MS - ts);

it('gives single liquidations, newest first, with their market', async () => {
  const { status, body } = await api.get('/perps/liquidations/events');
  expect(status).toBe(200);
  expect(agoOf(body.data)).toEqual([10, 20, 20, 20, 30, 40]);
  const events = body.data as object[];
  expect(events[0]).toMatchObject({ market: 'bybit:BTCUSDT', position: 'long', quote: 'USDT' });
  expect(events[5]).toMatchObject({ market: 'hyperliquid:BTC', position: 'short', inferred: true });
  expect(body.meta).toMatchObject({ nextEnd: null });
});

it('pages to the end of what is kept without splitting a millisecond', async () => {
  const found: number[] = [];
  for (let end: number | null = START_MS; end !== null; ) {
    const search = `limit=2&start=0&end=${end}`;
    const { body }: Awaited<ReturnType<TestApi['get']>> = await api.get(
      `/perps/liquidations/events?${search}`,
    );
    found.push(...agoOf(body.data));
    end = body.meta.nextEnd as number | null;
  }
  expect(found).toEqual([10, 20, 20, 20, 30, 40, 2 * DAY_MS]);
});

it.each([
  ['coin=eth', [20]],
  ['venue=bybit', [10, 20, 20, 30]],
  ['venue=hl&coin=btc', [40]],
  [`start=${START_MS - 20}`, [10, 20, 20, 20]],
  ['venue=gate', []],
])('takes %s', async (search, expected) => {
  expect(agoOf((await api.get(`/perps/liquidations/events?${search}`)).body.data)).toEqual(expected);
});

it.each([
  ['coin=nope', 404],
  ['venue=ftx', 400],
  ['limit=5001', 400],
  ['start=5&end=5', 400],
])('refuses %s', async (search, status) => {
  expect((await api.get(`/perps/liquidations/events?${search}`)).status).toBe(status);
});

it('names the feeds that are or were not connected, as the sums do', async () => {
  const metaOf = async (search: string) => {
    api.clock.advance(1_000);
    return (await api.get(`/perps/liquidations/events?${search}`)).body.meta;
  };
  const longAgo = START_MS - 2 * DAY_MS;
  connections = [connected('okx', longAgo, START_MS), connected('bybit', longAgo, START_MS - 600_000)];
  const down = { source: 'bybit:liquidations', status: 'down', error: expect.stringContaining('bybit') };
  expect(await metaOf('limit=1')).toMatchObject({ partial: true, sources: [down] });
  expect(await metaOf('venue=bybit&limit=1')).toMatchObject({
    stale: true,
    partial: true,
    fetchedAt: START_MS - 600_000,
    sources: [down],
  });
  for (const search of ['venue=okx&limit=1', `limit=1&start=0&end=${START_MS - DAY_MS}`])
    expect(await metaOf(search)).not.toHaveProperty('partial');
});

it('reports since when all feeds were connected', async () => {
  connections = [connected('okx', START_MS - 3_600_000, START_MS)];
  const { meta } = (await api.get('/perps/liquidations/events?limit=2')).body;
  expect(meta).toMatchObject({ partial: true, sinceTs: START_MS - 3_600_000 });
  const recent = await api.get(`/perps/liquidations/events?limit=2&start=${START_MS - 1_000}`);
  expect(recent.body.meta).not.toHaveProperty('sinceTs');
});
