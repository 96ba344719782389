import { ManualClock } from '@crosstape/core';
import { type Simulator, startSimulator } from '@crosstape/simulator';
import { type Known, venues } from '@crosstape/venues';
import ccxt from 'ccxt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ourTables } from './our-tables.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const SIX_HOURS_MS = 6 * 3_600_000;
const HOURS_WHEN_ABSENT = 8;
/** Large coins, the second contract of one, and one that is counted by thousands. */
const COMPARED = ['BTCUSDT', 'BTCUSDC', 'ETHUSDT', '1000PEPEUSDT'];

describe('ccxt on Binance', () => {
  let simulator: Simulator;
  let ours: Known;
  const client = new ccxt.binanceusdm({ enableRateLimit: false });

  function pointTo(url: string): void {
    client.urls['api'] = { fapiPublic: `${url}/binance/fapi/v1`, fapiData: `${url}/binance/futures/data` };
  }

  /** What our connector makes of the answer for one key. */
  async function ourLookup(name: string, key: string): Promise<Known> {
    const connector = venues.find(({ id }) => id === 'binance')?.connector;
    const lookup = connector?.lookups?.find((one) => one.name === name);
    if (!lookup) throw new Error(`no such lookup: ${name}`);
    const response = await fetch(`${simulator.url}/binance${lookup.request(key).path}`);
    return lookup.parse(await response.json(), T0, ours, key);
  }

  beforeAll(async () => {
    simulator = await startSimulator({ port: 0, seed: 77, clock: new ManualClock(T0) });
    pointTo(simulator.url);
    client.has['fetchCurrencies'] = false;
    await client.loadHttpProxyAgent();
    await client.loadMarkets();
    ours = await ourTables(simulator.url, 'binance', T0);
  });

  afterAll(async () => {
    await client.close();
    await simulator.close();
  });

  const unified = (symbol: string): string => client.safeSymbol(symbol, undefined, undefined, 'contract');

  it('lists the same contracts, and besides those that end, stocks and the like', () => {
    const active = Object.values(client.markets ?? {}).filter((market) => market?.active === true);
    const coins = active.filter((market) => market?.info.contractType === 'PERPETUAL');
    expect(coins.map((market) => String(market?.id)).toSorted()).toEqual(
      ours.instruments?.map(({ symbol }) => symbol).toSorted(),
    );
    expect(active.length).toBeGreaterThan(coins.length);
    for (const { symbol, coin } of ours.instruments ?? [])
      expect(coins.find((market) => market?.id === symbol)?.baseId).toBe(coin);
  });

  it.each(COMPARED)('agrees on the open interest of %s', async (symbol) => {
    const theirs = await client.fetchOpenInterest(unified(symbol));
    const [row] = (await ourLookup('openInterest', symbol)).openInterest ?? [];
    expect(row?.coins).toBe(theirs.openInterestAmount);
    expect(row?.contracts).toBe(row?.coins);
    const mark = ours.prices?.find((one) => one.symbol === symbol)?.mark ?? Number.NaN;
    expect(row?.value).toBeCloseTo(Number(theirs.openInterestAmount) * mark, 1);
  });

  /** ccxt's funding of our contracts, in our format; it omits the usual period. */
  async function theirFunding(): Promise<unknown[]> {
    const [rates, intervals] = [await client.fetchFundingRates(), await client.fetchFundingIntervals()];
    return (ours.funding ?? []).map(({ symbol, coin }) => {
      const { fundingRate: rate, fundingTimestamp: nextFundingMs } = rates[unified(symbol)] ?? {};
      const { interval = `${HOURS_WHEN_ABSENT}h` } = intervals[unified(symbol)] ?? {};
      return { coin, symbol, rate, periodHours: Number.parseInt(interval, 10), nextFundingMs };
    });
  }

  it('agrees on the rate, period and time of every funding', async () => {
    expect(ours.funding).toEqual(await theirFunding());
    expect(ours.funding?.length).toBe(ours.instruments?.length);
    expect(new Set(ours.funding?.map(({ periodHours }) => periodHours))).toEqual(new Set([1, 4, 8]));
  });

  it('agrees on the mark and index of every contract', async () => {
    const theirs = await client.fetchFundingRates();
    expect(ours.prices?.length).toBe(ours.instruments?.length);
    for (const { symbol, mark, index } of ours.prices ?? []) {
      const row = theirs[unified(symbol)];
      expect([mark, index]).toEqual([row?.markPrice, row?.indexPrice]);
    }
  });

  it('agrees on the global ratio, the only one of our two that it knows', async () => {
    const [theirs] = await client.fetchLongShortRatioHistory(unified('BTCUSDT'), '1h', undefined, 1);
    const [row] = (await ourLookup('globalLongShortAccountRatio-1h', 'BTCUSDT 1h global')).positioning ?? [];
    expect([row?.longShortRatio, row?.asOfMs]).toEqual([theirs?.longShortRatio, theirs?.timestamp]);
    const [top] = (await ourLookup('topLongShortPositionRatio-1h', 'BTCUSDT 1h top')).positioning ?? [];
    expect(top).toMatchObject({ view: 'top', basis: 'positions', asOfMs: row?.asOfMs });
  });

  it('agrees on the period of a contract after it has changed', async () => {
    const later = await startSimulator({ port: 0, seed: 77, clock: new ManualClock(T0 + SIX_HOURS_MS) });
    const before = new Map(ours.funding?.map(({ symbol, periodHours }) => [symbol, periodHours]));
    pointTo(later.url);
    ours = await ourTables(later.url, 'binance', T0 + SIX_HOURS_MS);
    expect(ours.funding).toEqual(await theirFunding());
    const changed = ours.funding?.filter(({ symbol, periodHours }) => before.get(symbol) !== periodHours);
    expect(changed).toHaveLength(1);
    await later.close();
  });

  it('broke no limit of the venue', () => {
    expect(simulator.violations['binance']).toEqual({});
  });
});
