import { ManualClock } from '@crosstape/core';
import { type Simulator, startSimulator } from '@crosstape/simulator';
import type { Known } from '@crosstape/venues';
import ccxt from 'ccxt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ourTables } from './our-tables.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const SIX_HOURS_MS = 6 * 3_600_000;
/** Large coins, one of them in USDC too, one that is counted by thousands, and one that another venue counts so. */
const COMPARED = ['BTCUSDT', 'BTCPERP', 'ETHUSDT', '1000BONKUSDT', 'PEPEUSDT'];

describe('ccxt on Bitget', () => {
  let clock: ManualClock;
  let simulator: Simulator;
  let ours: Known;
  const client = new ccxt.bitget({ enableRateLimit: false, options: { fetchMarkets: { types: ['swap'] } } });

  beforeAll(async () => {
    clock = new ManualClock(T0);
    simulator = await startSimulator({ port: 0, seed: 77, clock });
    client.urls['api'] = { mix: `${simulator.url}/bitget` };
    client.has['fetchCurrencies'] = false;
    await client.loadHttpProxyAgent();
    await client.loadMarkets();
    ours = await ourTables(simulator.url, 'bitget', clock.now());
  });

  afterAll(async () => {
    await client.close();
    await simulator.close();
  });

  const unified = (symbol: string): string => client.safeSymbol(symbol, undefined, undefined, 'swap');

  it('lists the same contracts, tokens of gold among them, and the stocks besides', () => {
    const active = Object.values(client.markets ?? {}).filter((market) => market?.active === true);
    const crypto = active.filter(
      (market) => market?.info.isRwa === 'NO' || ['PAXG', 'XAUT'].includes(String(market?.baseId)),
    );
    const listed = ours.instruments?.map(({ symbol }) => symbol);
    expect(new Set(crypto.map((market) => market?.id))).toEqual(new Set(listed));
    expect(active.length).toBeGreaterThan(crypto.length);
    for (const { symbol, coin } of ours.instruments ?? [])
      expect(crypto.find((market) => market?.id === symbol)?.baseId).toBe(coin);
  });

  it.each(COMPARED)('agrees on the open interest of %s', async (symbol) => {
    const theirs = await client.fetchOpenInterest(unified(symbol));
    const row = ours.openInterest?.find((one) => one.symbol === symbol);
    expect(row?.coins).toBe(theirs.openInterestAmount);
    expect(row?.contracts).toBe(row?.coins);
  });

  /** ccxt's funding of our contracts, in our format. */
  const theirFunding = async (): Promise<unknown[]> => {
    const theirs = {
      ...(await client.fetchFundingIntervals()),
      ...(await client.fetchFundingIntervals(undefined, { productType: 'USDC-FUTURES' })),
    };
    return (ours.funding ?? []).map(({ symbol, coin }) => {
      const { fundingRate, interval, fundingTimestamp } = theirs[unified(symbol)] ?? {};
      const periodHours = Number.parseInt(String(interval), 10);
      return { coin, symbol, rate: fundingRate, periodHours, nextFundingMs: fundingTimestamp };
    });
  };

  it('agrees on the rate, period and time of every funding', async () => {
    expect(ours.funding).toEqual(await theirFunding());
    expect(ours.funding?.length).toBeGreaterThan(30);
    expect(new Set(ours.funding?.map(({ periodHours }) => periodHours))).toEqual(new Set([1, 4, 8]));
  });

  it('agrees on the mark and index of every contract', async () => {
    const theirs = {
      ...(await client.fetchTickers(undefined, { type: 'swap', subType: 'linear' })),
      ...(await client.fetchTickers(undefined, { type: 'swap', productType: 'USDC-FUTURES' })),
    };
    for (const { symbol, mark, index } of ours.prices ?? []) {
      const row = theirs[unified(symbol)];
      expect([mark, index]).toEqual([row?.markPrice, row?.indexPrice]);
    }
  });

  it('agrees on the period of a contract after it has changed', async () => {
    const later = await startSimulator({ port: 0, seed: 77, clock: new ManualClock(T0 + SIX_HOURS_MS) });
    const before = new Map(ours.funding?.map(({ symbol, periodHours }) => [symbol, periodHours]));
    client.urls['api'] = { mix: `${later.url}/bitget` };
    ours = await ourTables(later.url, 'bitget', T0 + SIX_HOURS_MS);
    expect(ours.funding).toEqual(await theirFunding());
    const changed = ours.funding?.filter(({ symbol, periodHours }) => before.get(symbol) !== periodHours);
    expect(changed).toHaveLength(1);
    await later.close();
  });

  it('broke no limit of the venue', () => {
    expect(simulator.violations['bitget']).toEqual({});
  });
});
