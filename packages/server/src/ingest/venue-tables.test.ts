import { type Funding, ManualClock, MINUTE_MS, type OpenInterest } from '@crosstape/core';
import { beforeEach, expect, it } from 'vitest';
import { LocalBus } from '../platform/local-bus.ts';
import { type Snapshot, snapshotTopic } from '../topics.ts';
import { VenueTables, type TableSource } from './venue-tables.ts';

const START_MS = 1_763_164_800_000;
const list: TableSource = { name: 'list', gives: ['instruments'], everyMs: 600_000 };
const usdcList: TableSource = { ...list, name: 'usdc-list' };
const tickers: TableSource = { name: 'tickers', gives: ['openInterest'], everyMs: 30_000 };
const usdcTickers: TableSource = { ...tickers, name: 'usdc-tickers' };
const usdt = { coin: 'BTC', symbol: 'BTCUSDT' };
const usdc = { coin: 'BTC', symbol: 'BTCUSDC' };

let clock: ManualClock;
let bus: LocalBus;
beforeEach(() => {
  clock = new ManualClock(START_MS);
  bus = new LocalBus(clock);
});

function open(...listers: readonly string[]): VenueTables {
  return new VenueTables({ venue: 'x', bus, clock, listers });
}

function held(contract: typeof usdt, contracts: number): OpenInterest {
  return { ...contract, contracts, coins: contracts, value: contracts };
}

function reported(): Snapshot<OpenInterest> | undefined {
  return bus.latest(snapshotTopic('x', 'openInterest'))?.message;
}

it('keeps the row of a contract that an answer lacks, with its time, as long as it is worth serving', () => {
  const tables = open('list');
  tables.put(list, { instruments: [usdt, usdc] }, START_MS);
  tables.put(tickers, { openInterest: [held(usdt, 1), held(usdc, 5)] }, START_MS);
  expect(reported()).not.toHaveProperty('rowsAtMs');
  for (let minute = 1; minute <= 10; minute += 1) {
    clock.advance(MINUTE_MS);
    tables.put(tickers, { openInterest: [held(usdt, 2)] }, clock.now());
    expect(reported()).toMatchObject({
      rows: [{ contracts: 2 }, { contracts: 5 }],
      fetchedAtMs: clock.now(),
      rowsAtMs: [clock.now(), START_MS],
    });
    expect(reported()).not.toHaveProperty('missing');
  }
  clock.advance(1);
  tables.put(tickers, { openInterest: [held(usdt, 2)] }, clock.now());
  expect(reported()).toMatchObject({ rows: [{ symbol: 'BTCUSDT' }], missing: [usdc] });
});

it('keeps nothing of a contract that is no longer listed', () => {
  const tables = open('list');
  tables.put(list, { instruments: [usdt, usdc] }, START_MS);
  tables.put(tickers, { openInterest: [held(usdt, 1), held(usdc, 5)] }, START_MS);
  tables.put(list, { instruments: [usdt] }, START_MS);
  tables.put(tickers, { openInterest: [held(usdt, 1)] }, START_MS);
  expect(reported()?.rows).toEqual([held(usdt, 1)]);
  expect(reported()).not.toHaveProperty('missing');
});

it('keeps what one of two sources said while it says nothing, and the list of its contracts forever', () => {
  const tables = open('list', 'usdc-list');
  tables.put(list, { instruments: [usdt] }, START_MS);
  tables.put(usdcList, { instruments: [usdc] }, START_MS);
  tables.put(usdcTickers, { openInterest: [held(usdc, 5)] }, START_MS);
  clock.advance(10 * MINUTE_MS);
  tables.put(tickers, { openInterest: [held(usdt, 1)] }, clock.now());
  expect(reported()?.rows).toHaveLength(2);
  clock.advance(600 * MINUTE_MS);
  tables.put(list, { instruments: [usdt] }, clock.now());
  tables.put(tickers, { openInterest: [held(usdt, 1)] }, clock.now());
  expect(reported()).toMatchObject({ rows: [usdt], missing: [usdc] });
});

it('publishes no contract before every lister has answered: the contracts of a coin are not known', () => {
  const tables = open('list', 'usdc-list');
  tables.put(list, { instruments: [usdt] }, START_MS);
  tables.put(tickers, { openInterest: [held(usdt, 1)] }, START_MS);
  expect(reported()).toMatchObject({ rows: [], missing: [usdt] });
  tables.put(usdcList, { instruments: [] }, START_MS);
  tables.put(tickers, { openInterest: [held(usdt, 1)] }, START_MS);
  expect(reported()?.rows).toEqual([held(usdt, 1)]);
});

it('takes an empty list for true only of a part that never listed anything, while another part does', () => {
  const tables = open('list', 'usdc-list');
  expect(tables.canListNothing('usdc-list')).toBe(false);
  tables.put(list, { instruments: [usdt] }, START_MS);
  expect(tables.canListNothing('list')).toBe(false);
  expect(tables.canListNothing('usdc-list')).toBe(true);
  tables.put(usdcList, { instruments: [usdc] }, START_MS);
  expect(tables.canListNothing('usdc-list')).toBe(false);
});

it('gives parsers nothing that is stale to make figures from', () => {
  const periods: TableSource = { name: 'periods', gives: ['fundingPeriods'], everyMs: MINUTE_MS };
  const tables = open();
  const row = { ...usdt, periodHours: 8 };
  tables.put(periods, { fundingPeriods: [row, { ...row, ...usdc }] }, START_MS, {
    times: { fundingPeriods: [START_MS - MINUTE_MS, START_MS] },
    absent: [],
  });
  clock.advance(2 * MINUTE_MS);
  expect(tables.known.fundingPeriods).toHaveLength(2);
  clock.advance(1);
  expect(tables.known.fundingPeriods).toEqual([{ ...row, ...usdc }]);
  clock.advance(MINUTE_MS);
  expect(tables.known.fundingPeriods).toEqual([]);
  const rates: TableSource = { name: 'rates', gives: ['funding'], everyMs: 30_000 };
  const rate: Funding = { ...usdt, rate: 0.1, periodHours: 8, nextFundingMs: START_MS };
  tables.put(rates, { funding: [rate] }, START_MS);
  clock.advance(600 * MINUTE_MS);
  expect(tables.known.funding).toEqual([rate]);
});

it('forgets prices in time when the clock was set back, whatever tables are known beside them', () => {
  const tables = open('list');
  const prices: TableSource = { name: 'prices', gives: ['prices'], everyMs: 5_000 };
  tables.put(prices, { prices: [{ ...usdt, mark: 100 }] }, START_MS + 3_600_000);
  tables.put(tickers, { openInterest: [held(usdt, 1)] }, START_MS + 3_600_000);
  tables.notAfter(START_MS);
  expect(tables.known.prices).toHaveLength(1);
  clock.advance(15_001);
  expect(tables.known.prices).toEqual([]);
  expect(tables.known.openInterest).toHaveLength(1);
});
