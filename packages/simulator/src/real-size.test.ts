import { ManualClock } from '@crosstape/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SLOT_MS } from './market/blocks.ts';
import { createMarket, type Market } from './market/market.ts';
import { TradeColumns } from './market/trade-columns.ts';
import { BLOCK_TRADES_MAX } from './market/trades.ts';
import { type Simulator, startSimulator } from './simulator.ts';
import { isLong } from '../../../test/long.ts';

const T0 = Date.UTC(2026, 10, 16, 12);

const liveCoins = (market: Market): readonly string[] =>
  market.coins.filter(({ dex, isDelisted }) => dex === '' && !isDelisted).map(({ name }) => name);

/** Trades a second of all coins together, slot by slot. */
function tradesPerSecond(market: Market, slots: number): readonly number[] {
  const columns = new TradeColumns(4 * BLOCK_TRADES_MAX);
  const firstMs = Math.ceil(T0 / SLOT_MS) * SLOT_MS;
  return Array.from({ length: slots }, (_, slot) => {
    const [fromMs, toMs] = [firstMs + slot * SLOT_MS, firstMs + (slot + 1) * SLOT_MS];
    let trades = 0;
    for (const coin of liveCoins(market)) {
      for (let atMs = fromMs; atMs < toMs; ) {
        atMs = market.fill(coin, atMs, toMs, columns);
        trades += columns.length;
      }
    }
    return trades / (SLOT_MS / 1000);
  });
}

describe('a market of real size', () => {
  it('lists 230 contracts on the primary venue, and 179 of them trade', () => {
    const market = createMarket({ seed: 1, size: 'real' });
    expect(market.coins.filter(({ dex }) => dex === '')).toHaveLength(230);
    expect(liveCoins(market)).toHaveLength(179);
    expect(new Set(market.coins.map(({ name }) => name)).size).toBe(market.coins.length);
    expect(liveCoins(market)).toEqual(expect.arrayContaining([...liveCoins(createMarket({ seed: 1 }))]));
  });

  it.each(isLong ? [1, 2] : [1])('has 3,000 trades a second, in bursts of 10,000 (seed %i)', (seed) => {
    const slots = tradesPerSecond(createMarket({ seed, size: 'real' }), 32);
    const bursts = slots.filter((trades) => trades > 5_000);
    const mean = slots.reduce((sum, trades) => sum + trades, 0) / slots.length;
    expect(mean).toBeGreaterThan(2_500);
    expect(mean).toBeLessThan(3_500);
    expect(bursts.length).toBeGreaterThanOrEqual(3);
    expect(Math.min(...bursts)).toBeGreaterThan(8_500);
    expect(Math.max(...bursts)).toBeLessThan(13_000);
    expect(Math.min(...slots)).toBeGreaterThan(1_500);
  });

  it('takes no rate that would make its blocks overflow', () => {
    expect(() => createMarket({ seed: 1, size: 'real', rate: 3 })).toThrow(
      'a rate is above 0 and at most 2, not 3',
    );
  });
});

describe('the wires at real size', () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startSimulator({ port: 0, seed: 3, size: 'real', clock: new ManualClock(T0) });
  });
  afterAll(() => simulator.close());

  async function ask<Body>(path: string): Promise<Body> {
    const response = await fetch(`${simulator.url}${path}`);
    expect(response.status).toBe(200);
    return (await response.json()) as Body;
  }

  it('list as many contracts as the venues do', async () => {
    const bybit = await ask<{ result: { list: { contractType: string; status: string }[] } }>(
      '/bybit/v5/market/instruments-info?category=linear&limit=1000',
    );
    const perpetuals = bybit.result.list.filter(
      ({ contractType, status }) => contractType === 'LinearPerpetual' && status === 'Trading',
    );
    expect(perpetuals.length).toBeGreaterThanOrEqual(869);
    const mexc = await ask<{ data: { state: number }[] }>('/mexc/api/v1/contract/detail');
    expect(mexc.data.filter(({ state }) => state === 0).length).toBeGreaterThanOrEqual(1_192);
    const binance = await ask<{ symbols: { status: string }[] }>('/binance/fapi/v1/exchangeInfo');
    expect(binance.symbols.filter(({ status }) => status === 'TRADING').length).toBeGreaterThanOrEqual(620);
    const gate = await Promise.all(
      [0, 1_000].map((offset) =>
        ask<{ status?: string }[]>(`/gate/api/v4/futures/usdt/contracts?limit=1000&offset=${offset}`),
      ),
    );
    const listed = gate.flat().filter(({ status }) => status !== 'delisted');
    expect(listed.length).toBeGreaterThanOrEqual(1_013);
    const kraken = await ask<{ instruments: { type: string; tradeable: boolean }[] }>(
      '/kraken/derivatives/api/v3/instruments',
    );
    const flexible = kraken.instruments.filter(
      ({ type, tradeable }) => type === 'flexible_futures' && tradeable,
    );
    expect(flexible.length).toBeGreaterThanOrEqual(257);
    const spot = await ask<{ id: string }[]>('/coinbase/products');
    expect(spot.length).toBeGreaterThanOrEqual(380);
    const copy = spot.find(({ id }) => /X\d+-USD$/.test(id))?.id;
    const [trade] = await ask<{ price: string }[]>(`/coinbase/products/${copy}/trades?limit=1`);
    expect(Number(trade?.price)).toBeGreaterThan(0);
  });

  if (isLong) {
    it('fill a page of prediction markets with 13 MB', async () => {
      const query = 'limit=100&offset=0&order=liquidity&ascending=false&closed=false';
      const response = await fetch(`${simulator.url}/polymarket/events?${query}`);
      const bytes = (await response.arrayBuffer()).byteLength;
      expect(bytes).toBeGreaterThan(12e6);
      expect(bytes).toBeLessThan(14e6);
    });
  }

  it('says its size', async () => {
    expect(await ask('/sim')).toMatchObject({ size: 'real', rate: 1 });
  });
});
