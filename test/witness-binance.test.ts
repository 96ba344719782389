import ccxt from 'ccxt';
import { describe, expect, it } from 'vitest';
import { Witness } from './witness.ts';

const HOURS_WHEN_ABSENT = 8;
/** Large coins, the second contract of one, and one that is counted by thousands. */
const COMPARED = ['BTCUSDT', 'BTCUSDC', 'ETHUSDT', '1000PEPEUSDT'];

describe('ccxt on Binance', () => {
  const client = new ccxt.binanceusdm({ enableRateLimit: false });
  const rig = new Witness({
    venue: 'binance',
    client,
    api: (url) => ({ fapiPublic: `${url}/fapi/v1`, fapiData: `${url}/futures/data` }),
  });

  const unified = (symbol: string): string => client.safeSymbol(symbol, undefined, undefined, 'contract');

  it('lists the same contracts, and besides those that end, stocks and the like', () => {
    const active = Object.values(client.markets ?? {}).filter((market) => market?.active === true);
    const coins = active.filter((market) => market?.info.contractType === 'PERPETUAL');
    expect(coins.map((market) => String(market?.id)).toSorted()).toEqual(
      rig.ours.instruments?.map(({ symbol }) => symbol).toSorted(),
    );
    expect(active.length).toBeGreaterThan(coins.length);
    for (const { symbol, coin } of rig.ours.instruments ?? [])
      expect(coins.find((market) => market?.id === symbol)?.baseId).toBe(coin);
  });

  it.each(COMPARED)('agrees on the open interest of %s', async (symbol) => {
    const theirs = await client.fetchOpenInterest(unified(symbol));
    const [row] = (await rig.lookup('openInterest', symbol)).openInterest ?? [];
    expect(row?.coins).toBe(theirs.openInterestAmount);
    expect(row?.contracts).toBe(row?.coins);
    const mark = rig.ours.prices?.find((one) => one.symbol === symbol)?.mark ?? Number.NaN;
    expect(row?.value).toBeCloseTo(Number(theirs.openInterestAmount) * mark, 1);
  });

  /** ccxt's funding of our contracts, in our format; it omits the usual period. */
  async function theirFunding(): Promise<unknown[]> {
    const [rates, intervals] = [await client.fetchFundingRates(), await client.fetchFundingIntervals()];
    return (rig.ours.funding ?? []).map(({ symbol, coin }) => {
      const { fundingRate: rate, fundingTimestamp: nextFundingMs } = rates[unified(symbol)] ?? {};
      const { interval = `${HOURS_WHEN_ABSENT}h` } = intervals[unified(symbol)] ?? {};
      return { coin, symbol, rate, periodHours: Number.parseInt(interval, 10), nextFundingMs };
    });
  }

  it('agrees on the rate, period and time of every funding', async () => {
    expect(rig.ours.funding).toEqual(await theirFunding());
    expect(rig.ours.funding?.length).toBe(rig.ours.instruments?.length);
    expect(new Set(rig.ours.funding?.map(({ periodHours }) => periodHours))).toEqual(new Set([1, 4, 8]));
  });

  it('agrees on the mark and index of every contract', async () => {
    const theirs = await client.fetchFundingRates();
    expect(rig.ours.prices?.length).toBe(rig.ours.instruments?.length);
    for (const { symbol, mark, index } of rig.ours.prices ?? []) {
      const row = theirs[unified(symbol)];
      expect([mark, index]).toEqual([row?.markPrice, row?.indexPrice]);
    }
  });

  it('agrees on the global ratio, the only one of our two that it knows', async () => {
    const [theirs] = await client.fetchLongShortRatioHistory(unified('BTCUSDT'), '1h', undefined, 1);
    const [row] = (await rig.lookup('globalLongShortAccountRatio-1h', 'BTCUSDT 1h global')).positioning ?? [];
    expect([row?.longShortRatio, row?.asOfMs]).toEqual([theirs?.longShortRatio, theirs?.timestamp]);
    const [top] = (await rig.lookup('topLongShortPositionRatio-1h', 'BTCUSDT 1h top')).positioning ?? [];
    expect(top).toMatchObject({ view: 'top', basis: 'positions', asOfMs: row?.asOfMs });
  });

  it('agrees on the ratios of all accounts over a day', async () => {
    const theirs = await client.fetchLongShortRatioHistory(unified('BTCUSDT'), '1h', undefined, 24);
    const ours = await rig.pastLongs('globalLongs', 'BTCUSDT', 24);
    expect(ours.map(({ ts }) => ts)).toEqual(theirs.map(({ timestamp }) => timestamp));
    for (const [i, { value }] of ours.entries())
      expect(value / (1 - value)).toBeCloseTo(Number(theirs[i]?.longShortRatio), 3);
  });

  it('agrees on the period of a contract after it has changed', async () => {
    await rig.passPeriodChange();
    expect(rig.ours.funding).toEqual(await theirFunding());
  });
});
