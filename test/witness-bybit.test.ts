import { ManualClock, type VenueLiquidation } from '@crosstape/core';
import { type Simulator, startSimulator } from '@crosstape/simulator';
import { type Known, venues } from '@crosstape/venues';
import ccxt from 'ccxt';
import { type Liquidation, normalizeLiquidations } from 'tardis-dev';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ourTables } from './our-tables.ts';
import { watchSocket } from './watch-socket.ts';

const NOT_CRYPTO = ['stock', 'ETF'];
/** Coins that ccxt leaves as the venue spells them. */
const OWN_NAMES: Readonly<Record<string, string>> = { '1000NEIRO': '1000NEIROCTO' };
const T0 = Date.UTC(2026, 10, 16, 14, 30);
const SIX_HOURS_MS = 6 * 3_600_000;
/** Large coins, the second contract of one, and those that are counted by thousands, before and behind. */
const COMPARED = ['BTCUSDT', 'BTCPERP', 'ETHUSDT', '1000PEPEUSDT', 'SHIB1000USDT'];

let clock: ManualClock;
let simulator: Simulator;
let ours: Known;

beforeAll(async () => {
  clock = new ManualClock(T0);
  simulator = await startSimulator({ port: 0, seed: 77, clock });
  ours = await ourTables(simulator.url, 'bybit', clock.now());
});

afterAll(async () => {
  expect(simulator.violations['bybit']).toEqual({});
  await simulator.close();
});

describe('ccxt on Bybit', () => {
  const client = new ccxt.bybit({ enableRateLimit: false, options: { fetchMarkets: { types: ['linear'] } } });
  const pointAt = (url: string): void => {
    client.urls['api'] = { public: `${url}/bybit`, private: `${url}/bybit` };
  };

  beforeAll(async () => {
    pointAt(simulator.url);
    client.has['fetchCurrencies'] = false;
    await client.loadHttpProxyAgent();
    await client.loadMarkets();
  });

  afterAll(() => client.close());

  const unified = (symbol: string): string => client.safeSymbol(symbol, undefined, undefined, 'swap');

  it('lists the same perpetuals, and besides a stock, a fund and one before its opening', () => {
    const swaps = Object.values(client.markets ?? {}).filter((market) => market?.swap === true);
    const crypto = swaps.filter(
      (market) => market?.active === true && !NOT_CRYPTO.includes(market.info.symbolType),
    );
    expect(new Set(crypto.map((market) => market?.id))).toEqual(
      new Set(ours.instruments?.map(({ symbol }) => symbol)),
    );
    expect(swaps).toHaveLength(crypto.length + 3);
    for (const { symbol, coin } of ours.instruments ?? [])
      expect(crypto.find((market) => market?.id === symbol)?.baseId).toBe(OWN_NAMES[coin] ?? coin);
  });

  it.each(COMPARED)('reports for %s the open interest of both sides: twice ours', async (symbol) => {
    const theirs = await client.fetchOpenInterest(unified(symbol), { interval: '5m' });
    const row = ours.openInterest?.find((one) => one.symbol === symbol);
    expect(theirs.timestamp).toBe(T0);
    expect(2 * Number(row?.coins)).toBeCloseTo(Number(theirs.openInterestAmount), 6);
    const mark = Number(ours.prices?.find((one) => one.symbol === symbol)?.mark);
    expect(Number(row?.value) / (Number(row?.coins) * mark)).toBeCloseTo(1, 6);
  });

  /** ccxt's funding of our contracts, in our format. */
  const theirFunding = async (): Promise<unknown[]> => {
    const theirs = await client.fetchFundingRates(undefined, { type: 'swap' });
    return (ours.funding ?? []).map(({ symbol, coin }) => {
      const { fundingRate, interval, fundingTimestamp } = theirs[unified(symbol)] ?? {};
      const periodHours = Number.parseInt(String(interval), 10);
      return { coin, symbol, rate: fundingRate, periodHours, nextFundingMs: fundingTimestamp };
    });
  };

  it('agrees on the rate, period and time of every funding, the period from another call than ours', async () => {
    expect(ours.funding).toEqual(await theirFunding());
    expect(ours.funding?.length).toBe(ours.instruments?.length);
    expect(new Set(ours.funding?.map(({ periodHours }) => periodHours))).toEqual(new Set([1, 4, 8]));
  });

  it('agrees on the mark and index of every contract', async () => {
    const theirs = await client.fetchTickers(undefined, { type: 'swap', subType: 'linear' });
    expect(ours.prices?.length).toBe(ours.instruments?.length);
    for (const { symbol, mark, index } of ours.prices ?? []) {
      const row = theirs[unified(symbol)];
      expect([mark, index]).toEqual([row?.markPrice, row?.indexPrice]);
    }
  });

  it('agrees on the period of a contract after it has changed', async () => {
    const later = await startSimulator({ port: 0, seed: 77, clock: new ManualClock(T0 + SIX_HOURS_MS) });
    const before = new Map(ours.funding?.map(({ symbol, periodHours }) => [symbol, periodHours]));
    pointAt(later.url);
    await client.loadMarkets(true);
    ours = await ourTables(later.url, 'bybit', T0 + SIX_HOURS_MS);
    expect(ours.funding).toEqual(await theirFunding());
    const changed = ours.funding?.filter(({ symbol, periodHours }) => before.get(symbol) !== periodHours);
    expect(changed).toHaveLength(1);
    await later.close();
  });
});

it('reads every liquidation as tardis does: contract, side of the order, price, coins and time', async () => {
  const feed = venues.find(({ id }) => id === 'bybit')?.connector?.feeds[0];
  if (!feed) throw new Error('Bybit has no feed');
  const socket = await watchSocket(simulator.url, `/bybit${feed.path}`);
  for (const topic of feed.topics(ours.instruments ?? [])) socket.send(feed.subscribe([topic]));
  // The venue receives them in order, the ping last.
  await socket.settle();
  clock.advance(540_000);
  await socket.settle();
  const parse = feed.open(() => ours);
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
