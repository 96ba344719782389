import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator.ts';
import { viewOfVenue } from '../../venue-view.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const NOW_S = T0 / 1000;
let clock: ManualClock;
let simulator: Simulator;

beforeEach(async () => {
  clock = new ManualClock(T0);
  simulator = await startSimulator({ port: 0, seed: 5, clock, sources: ['coinalyze'] });
});

afterEach(() => simulator.close());

interface Answer {
  readonly symbol: string;
  readonly history: readonly { readonly t: number; readonly l: number; readonly s: number }[];
}

async function ask(call: string, key = 'any'): Promise<{ status: number; body: readonly Answer[] }> {
  const headers = key === '' ? {} : { api_key: key };
  const response = await fetch(`${simulator.url}/coinalyze/v1/${call}`, { headers });
  return { status: response.status, body: (await response.json()) as readonly Answer[] };
}

const historyOf = (symbols: string, window = `from=${NOW_S - 86_400}&to=${NOW_S}`): string =>
  `liquidation-history?symbols=${symbols}&interval=1hour&${window}`;

it('answers callers with a key, in a header or a query, and no others', async () => {
  expect((await ask('future-markets', '')).status).toBe(401);
  expect((await ask(historyOf('BTCUSDT_PERP.A'), '')).status).toBe(401);
  expect((await ask('future-markets')).status).toBe(200);
  expect((await ask('future-markets?api_key=any', '')).status).toBe(200);
  expect(simulator.violations['coinalyze']).toEqual({});
});

it('adds up the forced orders of a venue, in coins or dollars, without empty buckets', async () => {
  const market = viewOfVenue(simulator.market, 'okx');
  const coin = market?.coins.find(({ name }) => name === 'kPEPE');
  if (!market || !coin) throw new Error('no such market');
  const sums = { sell: 0, buy: 0, coins: 0 };
  // Buckets are whole hours: the day begins with the first of them.
  for (const { side, price, size } of market.liquidations(coin, T0 - 84_600_000, T0)) {
    sums[side] += price * size;
    sums.coins += size;
  }
  const [usd] = (await ask(`${historyOf('PEPEUSDT_PERP.3')}&convert_to_usd=true`)).body;
  const [coins] = (await ask(historyOf('PEPEUSDT_PERP.3'))).body;
  const total = (reported: Answer | undefined, side: 'l' | 's'): number =>
    (reported?.history ?? []).reduce((sum, bucket) => sum + bucket[side], 0);
  expect(sums.sell + sums.buy).toBeGreaterThan(0);
  expect(total(usd, 'l')).toBeCloseTo(sums.sell, 2);
  expect(total(usd, 's')).toBeCloseTo(sums.buy, 2);
  expect(total(coins, 'l') + total(coins, 's')).toBeCloseTo(sums.coins, 4);
  for (const { t, l, s } of usd?.history ?? []) {
    expect(t % 3600).toBe(0);
    expect(l + s).toBeGreaterThan(0);
  }
});

it('has three linear contracts of some coins on Binance, which add up to the venue', async () => {
  const market = viewOfVenue(simulator.market, 'binance');
  const coin = market?.coins.find(({ name }) => name === 'ETH');
  if (!market || !coin) throw new Error('no such market');
  const count = market.liquidations(coin, T0 - 84_600_000, T0).reduce((sum, { size }) => sum + size, 0);
  const { body } = await ask(historyOf('ETHUSDT_PERP.A,ETHUSDC_PERP.A,ETHUSD1_PERP.A'));
  expect(body).toHaveLength(3);
  const sizes = body.flatMap(({ history }) => history.map(({ l, s: short }) => l + short));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeCloseTo(count, 4);
});

it('returns nothing for a range in milliseconds', async () => {
  const { body } = await ask(historyOf('BTCUSDT_PERP.A', `from=${T0 - 86_400_000}&to=${T0}`));
  expect(body).toEqual([]);
});

it('counts each symbol of a question as a call', async () => {
  const symbols = Array.from({ length: 20 }, () => 'BTCUSDT_PERP.A').join(',');
  expect((await ask(historyOf(symbols))).status).toBe(200);
  expect((await ask(historyOf(symbols))).status).toBe(200);
  expect((await ask('future-markets')).status).toBe(429);
  expect(simulator.violations['coinalyze']).toEqual({ calls: 1 });
  clock.advance(60_000);
  expect((await ask('future-markets')).status).toBe(200);
});
