import type { VenueLiquidation } from '@crosstape/core';
import { venues } from '@crosstape/venues';
import ccxt from 'ccxt';
import { type Liquidation, normalizeLiquidations } from 'tardis-dev';
import { describe, expect, it } from 'vitest';
import { watchSocket } from './watch-socket.ts';
import { T0, Witness } from './witness.ts';

const NOT_CRYPTO = ['stock', 'ETF'];
/** Coins that ccxt leaves as the venue spells them. */
const OWN_NAMES: Readonly<Record<string, string>> = { '1000NEIRO': '1000NEIROCTO' };
/** Large coins, the second contract of one, and those that are counted by thousands, before and behind. */
const COMPARED = ['BTCUSDT', 'BTCPERP', 'ETHUSDT', '1000PEPEUSDT', 'SHIB1000USDT'];

const client = new ccxt.bybit({ enableRateLimit: false, options: { fetchMarkets: { types: ['linear'] } } });
const rig = new Witness({ venue: 'bybit', client, api: (url) => ({ public: url, private: url }) });

describe('ccxt on Bybit', () => {
  const unified = (symbol: string): string => client.safeSymbol(symbol, undefined, undefined, 'swap');

  it('lists the same perpetuals, and besides a stock, a fund and one before its opening', () => {
    const swaps = Object.values(client.markets ?? {}).filter((market) => market?.swap === true);
    const crypto = swaps.filter(
      (market) => market?.active === true && !NOT_CRYPTO.includes(market.info.symbolType),
    );
    expect(new Set(crypto.map((market) => market?.id))).toEqual(
      new Set(rig.ours.instruments?.map(({ symbol }) => symbol)),
    );
    expect(swaps).toHaveLength(crypto.length + 3);
    for (const { symbol, coin } of rig.ours.instruments ?? [])
      expect(crypto.find((market) => market?.id === symbol)?.baseId).toBe(OWN_NAMES[coin] ?? coin);
  });

  it.each(COMPARED)('reports for %s the open interest of both sides: twice ours', async (symbol) => {
    const theirs = await client.fetchOpenInterest(unified(symbol), { interval: '5m' });
    const row = rig.ours.openInterest?.find((one) => one.symbol === symbol);
    expect(theirs.timestamp).toBe(T0);
    expect(2 * Number(row?.coins)).toBeCloseTo(Number(theirs.openInterestAmount), 6);
    const mark = Number(rig.ours.prices?.find((one) => one.symbol === symbol)?.mark);
    expect(Number(row?.value) / (Number(row?.coins) * mark)).toBeCloseTo(1, 6);
  });

  /** ccxt's funding of our contracts, in our format. */
  const theirFunding = async (): Promise<unknown[]> => {
    const theirs = await client.fetchFundingRates(undefined, { type: 'swap' });
    return (rig.ours.funding ?? []).map(({ symbol, coin }) => {
      const { fundingRate, interval, fundingTimestamp } = theirs[unified(symbol)] ?? {};
      const periodHours = Number.parseInt(String(interval), 10);
      return { coin, symbol, rate: fundingRate, periodHours, nextFundingMs: fundingTimestamp };
    });
  };

  it('agrees on the rate, period and time of every funding, the period from another call than ours', async () => {
    expect(rig.ours.funding).toEqual(await theirFunding());
    expect(rig.ours.funding?.length).toBe(rig.ours.instruments?.length);
    expect(new Set(rig.ours.funding?.map(({ periodHours }) => periodHours))).toEqual(new Set([1, 4, 8]));
  });

  it('agrees on the mark and index of every contract', async () => {
    const theirs = await client.fetchTickers(undefined, { type: 'swap', subType: 'linear' });
    expect(rig.ours.prices?.length).toBe(rig.ours.instruments?.length);
    for (const { symbol, mark, index } of rig.ours.prices ?? []) {
      const row = theirs[unified(symbol)];
      expect([mark, index]).toEqual([row?.markPrice, row?.indexPrice]);
    }
  });

  it('agrees on the ratios of accounts over a day', async () => {
    const theirs = await client.fetchLongShortRatioHistory(unified('BTCUSDT'), '1h', undefined, 24);
    const ours = await rig.pastLongs('globalLongs', 'BTCUSDT', 24);
    expect(ours.map(({ ts, value }) => [ts, value / (1 - value)])).toEqual(
      theirs.map(({ timestamp, longShortRatio }) => [timestamp, expect.closeTo(Number(longShortRatio), 9)]),
    );
  });

  it('agrees on the period of a contract after it has changed', async () => {
    await rig.passPeriodChange();
    await client.loadMarkets(true);
    expect(rig.ours.funding).toEqual(await theirFunding());
  });
});

it('reads every liquidation as tardis does: contract, side of the order, price, coins and time', async () => {
  const feed = venues.find(({ id }) => id === 'bybit')?.connector?.feeds[0];
  if (!feed) throw new Error('Bybit has no feed');
  const socket = await watchSocket(rig.simulator.url, `/bybit${feed.path}`);
  for (const topic of feed.topics(rig.ours.instruments ?? [])) socket.send(feed.subscribe([topic]));
  // The venue receives them in order, the ping last.
  await socket.settle();
  rig.clock.advance(540_000);
  await socket.settle();
  const parse = feed.open(() => rig.ours);
  const mapper = normalizeLiquidations('bybit', new Date(T0));
  const [mine, theirs]: [VenueLiquidation[], Liquidation[]] = [[], []];
  for (const text of socket.frames) {
    const frame = parse(text);
    expect(frame.kind).toMatch(/^(subscribed|liquidations)$/);
    if (frame.kind === 'liquidations') mine.push(...frame.liquidations);
    const message: unknown = JSON.parse(text);
    if (frame.kind === 'liquidations') theirs.push(...(mapper.map(message, new Date(T0)) ?? []));
  }
  expect(mine.length).toBeGreaterThan(5);
  expect(new Set(mine.map(({ side }) => side))).toEqual(new Set(['buy', 'sell']));
  expect(mine.map(({ symbol, side, price, size, venueTs }) => [symbol, side, price, size, venueTs])).toEqual(
    theirs.map(({ symbol, side, price, amount, timestamp }) => [
      symbol,
      side,
      price,
      amount,
      timestamp.getTime(),
    ]),
  );
  socket.close();
});
