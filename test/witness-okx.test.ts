import { ManualClock } from '@crosstape/core';
import { startSimulator, viewOfVenue } from '@crosstape/simulator';
import ccxt from 'ccxt';
import { describe, expect, it } from 'vitest';
import { watchOurLiquidations } from './our-liquidations.ts';
import { ourTables } from './our-tables.ts';
import { T0, Witness } from './witness.ts';

describe('ccxt on OKX', () => {
  const client = new ccxt.okx({ enableRateLimit: false, options: { fetchMarkets: { types: ['swap'] } } });
  const rig = new Witness({ venue: 'okx', client, api: (url) => ({ rest: url }) });
  const unified = (symbol: string): string => client.safeSymbol(symbol, undefined, '-', 'swap');

  it('lists the same linear swaps, with the same coins in each, and inverse ones and stocks besides', () => {
    const active = Object.values(client.markets ?? {}).filter((market) => market?.active === true);
    const linear = active.filter((market) => market?.linear === true && market.info.instCategory === '1');
    expect(linear.map((market) => String(market?.id)).toSorted()).toEqual(
      rig.ours.instruments?.map(({ symbol }) => symbol).toSorted(),
    );
    expect(active.length).toBeGreaterThan(linear.length);
    for (const { symbol, coin, contractSize } of rig.ours.instruments ?? []) {
      const market = linear.find((one) => one?.id === symbol);
      expect([coin, contractSize]).toEqual([market?.baseId, market?.contractSize]);
    }
    expect(rig.ours.instruments?.filter(({ coin }) => coin === 'BTC')).toHaveLength(2);
  });

  it('agrees on the open interest of every swap in contracts, coins and, where they are sent, dollars', async () => {
    const theirs = await client.fetchOpenInterests();
    expect(rig.ours.openInterest?.length).toBe(rig.ours.instruments?.length);
    for (const { symbol, contracts, coins, value, usd } of rig.ours.openInterest ?? []) {
      const row = theirs[unified(symbol)];
      expect([contracts, coins]).toEqual([row?.openInterestAmount, row?.baseVolume]);
      // Dollars are the venue's own where it sends them; the value at the mark is rig.ours.
      const mark = rig.ours.prices?.find((one) => one.symbol === symbol)?.mark ?? Number.NaN;
      expect(value).toBeCloseTo(coins * mark, 1);
      if (row?.openInterestValue === undefined) expect(usd).toBeUndefined();
      else expect(usd).toBeCloseTo(row.openInterestValue, 2);
      expect(coins / (contracts * Number(client.market(unified(symbol))?.contractSize))).toBeCloseTo(1, 9);
    }
  });

  it('agrees on the rate, period and time of every swap', async () => {
    const theirs = await client.fetchFundingRates();
    expect(rig.ours.funding?.length).toBe(rig.ours.instruments?.length);
    for (const { symbol, rate, periodHours, nextFundingMs } of rig.ours.funding ?? []) {
      const row = theirs[unified(symbol)];
      expect([rate, `${periodHours}h`, nextFundingMs]).toEqual([
        row?.fundingRate,
        row?.interval,
        row?.fundingTimestamp,
      ]);
    }
    expect(new Set(rig.ours.funding?.map(({ periodHours }) => periodHours))).toEqual(new Set([1, 4, 8]));
  });

  it('agrees on the mark of every swap; the index it leaves to the caller', async () => {
    const theirs = await client.fetchMarkPrices();
    expect(rig.ours.prices?.length).toBe(rig.ours.instruments?.length);
    for (const { symbol, mark, index } of rig.ours.prices ?? []) {
      expect(mark).toBe(theirs[unified(symbol)]?.markPrice);
      expect(mark / (index as number)).toBeCloseTo(1, 1);
    }
    const raw = await client.publicGetMarketIndexTickers({ instId: 'PEPE-USDT' });
    const pepe = rig.ours.prices?.find(({ symbol }) => symbol === 'PEPE-USDT-SWAP');
    expect(pepe?.index).toBe(Number(raw.data[0].idxPx));
  });

  it('agrees on the ratios of all accounts over a day', async () => {
    const symbol = 'BTC-USDT-SWAP';
    const theirs = await client.fetchLongShortRatioHistory(unified(symbol), '1h', undefined, 24);
    const ours = await rig.pastLongs('globalLongs', symbol, 24);
    expect(ours.map(({ ts, value }) => [ts, value / (1 - value)])).toEqual(
      theirs.map(({ timestamp, longShortRatio }) => [timestamp, expect.closeTo(Number(longShortRatio), 9)]),
    );
  });

  it('follows a period that changes', async () => {
    const changed = await rig.passPeriodChange();
    const row = await client.fetchFundingRate(unified(`${changed}`));
    const periodHours = rig.ours.funding?.find(({ symbol }) => symbol === changed)?.periodHours;
    expect(row.interval).toBe(`${periodHours}h`);
  });
});

it('reports on OKX the last position that was closed by force per swap and second: side, price and coins', async () => {
  const clock = new ManualClock(T0);
  const simulator = await startSimulator({ port: 0, seed: 77, clock, sources: ['okx'] });
  const watch = await watchOurLiquidations(
    simulator.url,
    'okx',
    await ourTables(simulator.url, 'okx', clock.now()),
  );
  // Who says nothing for 30 s is cut off.
  for (let step = 0; step < 30; step += 1) {
    clock.advance(20_000);
    await watch.settle();
  }
  const view = viewOfVenue(simulator.market, 'okx');
  const expected = (view?.coins ?? []).flatMap((coin) => {
    const forced = view?.liquidations(coin, T0, clock.now()) ?? [];
    const answer = new Map(forced.map((deal) => [Math.floor(deal.ts / 1000), deal]));
    return [...answer.values()];
  });
  expect(watch.liquidations.length).toBe(expected.length);
  expect(expected.length).toBeGreaterThan(10);
  for (const { coin, ts, side, price, size } of expected) {
    const perUnit = coin.startsWith('k') ? 1000 : 1;
    const bare = perUnit === 1 ? coin : coin.slice(1);
    const found = watch.liquidations.find((one) => one.coin === bare && one.venueTs === ts);
    expect(found?.side).toBe(side);
    expect(Number(found?.price) / (price / perUnit)).toBeCloseTo(1, 4);
    expect(Number(found?.size) / (size * perUnit), coin).toBeCloseTo(1, 1);
  }
  expect(simulator.violations['okx']).toEqual({});
  watch.close();
  await simulator.close();
});
