import { ManualClock } from '@crosstape/core';
import { type Simulator, startSimulator } from '@crosstape/simulator';
import type { Known } from '@crosstape/venues';
import ccxt from 'ccxt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ourTables } from './our-tables.ts';

/** On a boundary of five minutes, where the venue's statistics are of this very moment. */
const T0 = Date.UTC(2026, 10, 16, 14, 30);
const SIX_HOURS_MS = 6 * 3_600_000;
const COMPARED = ['BTC_USDT', 'ETH_USDT', 'PEPE_USDT', 'BONK_USDT'];

describe('ccxt on Gate', () => {
  let clock: ManualClock;
  let simulator: Simulator;
  let ours: Known;
  const client = new ccxt.gate({
    enableRateLimit: false,
    headers: { 'X-Gate-Size-Decimal': '1' },
    options: { fetchMarkets: { types: ['swap'] } },
  });

  beforeAll(async () => {
    clock = new ManualClock(T0);
    simulator = await startSimulator({ port: 0, seed: 77, clock });
    client.urls['api'] = { public: { futures: `${simulator.url}/gate/api/v4` } };
    client.has['fetchCurrencies'] = false;
    await client.loadHttpProxyAgent();
    await client.loadMarkets();
    ours = await ourTables(simulator.url, 'gate', clock.now());
  });

  afterAll(async () => {
    await client.close();
    await simulator.close();
  });

  const unified = (symbol: string): string => client.safeSymbol(symbol, undefined, '_', 'swap');

  it('lists the same contracts, with the same coins in each, and besides the stocks and metals that are not tokens', () => {
    const active = Object.values(client.markets ?? {}).filter((market) => market?.active === true);
    const crypto = active.filter(
      (market) =>
        market?.info.contract_type === '' || ['PAXG_USDT', 'XAUT_USDT'].includes(String(market?.id)),
    );
    const listed = ours.instruments?.map(({ symbol }) => symbol);
    expect(new Set(crypto.map((market) => market?.id))).toEqual(new Set(listed));
    expect(active.length).toBeGreaterThan(crypto.length);
    for (const { symbol, coin, contractSize } of ours.instruments ?? []) {
      const market = crypto.find((one) => one?.id === symbol);
      expect([coin, contractSize]).toEqual([market?.baseId, market?.contractSize]);
    }
  });

  it.each(COMPARED)(
    'agrees on the open interest of %s, which it reads from the statistics',
    async (symbol) => {
      const [theirs] = await client.fetchOpenInterestHistory(unified(symbol), '5m', undefined, 1);
      const row = ours.openInterest?.find((one) => one.symbol === symbol);
      expect(theirs?.timestamp).toBe(T0);
      expect(row?.contracts).toBe(theirs?.openInterestAmount);
      expect(row?.value).toBeCloseTo(Number(theirs?.openInterestValue), 1);
    },
  );

  it('agrees with the count that the tickers send for both sides, which it leaves raw', async () => {
    const theirs = await client.fetchTickers(undefined, { type: 'swap', settle: 'usdt' });
    for (const { symbol, contracts } of ours.openInterest ?? [])
      expect(Number(theirs[unified(symbol)]?.info.total_size)).toBe(2 * contracts);
  });

  /** ccxt's funding and prices of our contracts, in our format. */
  const theirRates = async (): Promise<Pick<Known, 'funding' | 'prices'>> => {
    const theirs = await client.fetchFundingRates();
    const rows = (ours.instruments ?? []).map(({ symbol, coin }) => {
      const row = theirs[unified(symbol)];
      const periodHours = Number.parseInt(String(row?.interval), 10);
      const nextFundingMs = Number(row?.fundingTimestamp);
      return {
        funding: { coin, symbol, rate: Number(row?.fundingRate), periodHours, nextFundingMs },
        price: { coin, symbol, mark: Number(row?.markPrice), index: Number(row?.indexPrice) },
      };
    });
    return { funding: rows.map(({ funding }) => funding), prices: rows.map(({ price }) => price) };
  };

  it('agrees on the rate, period, time, mark and index of every contract', async () => {
    expect(ours).toMatchObject(await theirRates());
    expect(ours.funding?.length).toBeGreaterThan(30);
    expect(new Set(ours.funding?.map(({ periodHours }) => periodHours))).toEqual(new Set([1, 4, 8]));
  });

  it('agrees on the period of a contract after it has changed', async () => {
    const later = await startSimulator({ port: 0, seed: 77, clock: new ManualClock(T0 + SIX_HOURS_MS) });
    const before = new Map(ours.funding?.map(({ symbol, periodHours }) => [symbol, periodHours]));
    client.urls['api'] = { public: { futures: `${later.url}/gate/api/v4` } };
    ours = await ourTables(later.url, 'gate', T0 + SIX_HOURS_MS);
    expect(ours).toMatchObject(await theirRates());
    const changed = ours.funding?.filter(({ symbol, periodHours }) => before.get(symbol) !== periodHours);
    expect(changed).toHaveLength(1);
    await later.close();
  });

  it('broke no limit of the venue', () => {
    expect(simulator.violations['gate']).toEqual({});
  });
});
