import { ManualClock, type OptionQuote } from '@crosstape/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { JobRunner } from '../../platform/jobs.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { snapshotTopic } from '../../topics.ts';
import {
  type OptionFigures,
  optionFigures,
  optionFiguresTopic,
  type OptionsToFigure,
} from './option-figures.ts';
import { type OptionWatch, watchOptions } from './watch-options.ts';

const AT_MS = Date.UTC(2026, 10, 16, 14, 30);
let clock: ManualClock;
let bus: LocalBus;
let watch: OptionWatch;
/** Jobs that were ordered and not done yet. */
let orders: { readonly payload: OptionsToFigure; done(): void; fail(): void }[];
const warnings: unknown[] = [];

const jobs: JobRunner = {
  run: (_task, payload, { signal } = {}) =>
    new Promise((resolve, reject) => {
      const order = payload as OptionsToFigure;
      signal?.addEventListener('abort', () => reject(new Error('aborted')));
      orders.push({
        payload: order,
        done: () => resolve(optionFigures(order) as never),
        fail: () => reject(new Error('out of luck')),
      });
    }),
  stop: async () => undefined,
};

beforeEach(() => {
  clock = new ManualClock(AT_MS);
  bus = new LocalBus(clock);
  orders = [];
  warnings.length = 0;
  const silent = (): void => undefined;
  const log = { debug: silent, info: silent, error: silent, warn: (fields: object) => warnings.push(fields) };
  watch = watchOptions({ clock, bus, jobs, log });
});
afterEach(() => watch.stop());

function option(coin: string, type: 'C' | 'P'): OptionQuote {
  return {
    coin,
    symbol: `${coin} ${type}`,
    type,
    strike: 100,
    expiryMs: AT_MS + 86_400_000,
    isLinear: coin !== 'BTC' && coin !== 'ETH',
    openInterest: 5,
    volume24hCoins: 0,
    markIvPct: 60,
    markPrice: 0.1,
    forward: 101,
  };
}

function publishBook(table: 'btcOptions' | 'usdcOptions', rows: OptionQuote[], fetchedAtMs = AT_MS): void {
  bus.publish(snapshotTopic('deribit', table), { venue: 'deribit', rows, fetchedAtMs, everyMs: 30_000 });
}

function publishChain(fetchedAtMs = AT_MS): void {
  publishBook('usdcOptions', [option('XRP', 'C'), option('XRP', 'P')], fetchedAtMs);
  publishBook('btcOptions', [option('BTC', 'C'), option('BTC', 'P')], fetchedAtMs);
}

function publishIndex(...coins: readonly string[]): void {
  publishIndexes(Object.fromEntries(coins.map((coin) => [coin, AT_MS])));
}

/** When the index of each coin was fetched. */
function publishIndexes(times: Readonly<Record<string, number>>, index = 100): void {
  bus.publish(snapshotTopic('deribit', 'indexPrices'), {
    venue: 'deribit',
    rows: Object.keys(times).map((coin) => ({ coin, symbol: coin, index })),
    rowsAtMs: Object.values(times),
    fetchedAtMs: Math.max(...Object.values(times)),
    everyMs: 30_000,
  });
}

function figures(coin: string): OptionFigures | undefined {
  return bus.latest(optionFiguresTopic(coin))?.message;
}

async function finishAll(): Promise<void> {
  for (const order of orders.splice(0)) order.done();
  await vi.waitUntil(() => figures('BTC') !== undefined);
}

it('makes the figures of every coin once for each chain', async () => {
  publishIndex('BTC', 'XRP');
  publishChain();
  expect(orders.map(({ payload }) => payload.coin)).toEqual(['SOL', 'XRP', 'BTC']);
  expect(orders[2]?.payload.options.map(({ symbol }) => symbol)).toEqual(['BTC C', 'BTC P']);
  await finishAll();
  expect(figures('BTC')).toMatchObject({ coin: 'BTC', fetchedAtMs: AT_MS, gex: { spot: 100 } });
  publishIndex('BTC', 'XRP');
  expect(orders).toEqual([]);
});

it('makes them again for a chain that had to wait for its index', async () => {
  publishChain();
  await finishAll();
  expect(figures('BTC')).not.toHaveProperty('gex');
  publishIndex('BTC');
  expect(orders.map(({ payload }) => [payload.coin, payload.spot])).toEqual([['BTC', 100]]);
  orders.pop()?.done();
  await vi.waitUntil(() => figures('BTC')?.gex !== undefined);
});

it('has one under way for a coin, and afterwards makes those of the newest chain only', async () => {
  publishIndex('BTC');
  for (const laterMs of [0, 1_000, 2_000, 3_000]) publishChain(AT_MS + laterMs);
  expect(orders).toHaveLength(3);
  orders[2]?.done();
  await vi.waitUntil(() => orders.length === 4);
  expect(orders[3]?.payload).toMatchObject({ coin: 'BTC', atMs: AT_MS + 3_000 });
});

it('reports figures that could not be computed, and computes the next', async () => {
  publishIndex('BTC');
  publishChain();
  for (const order of orders.splice(0)) order.fail();
  await vi.waitUntil(() => warnings.length === 3);
  publishChain();
  await finishAll();
});

it('publishes nothing once it is stopped', async () => {
  publishChain();
  await watch.stop();
  publishChain();
  expect(orders).toHaveLength(3);
  expect(figures('BTC')).toBeUndefined();
  expect(warnings).toEqual([]);
});

it('makes no gamma of a spot price from another time, and makes it when a fresh one comes', async () => {
  publishIndex('BTC');
  publishChain(AT_MS + 7_200_000);
  await finishAll();
  expect(figures('BTC')?.gex).toBeUndefined();
  publishIndexes({ BTC: AT_MS + 7_201_000 }, 150);
  await finishAll();
  expect(figures('BTC')?.gex?.spot).toBe(150);
});

it('continues with the last good gamma while there is no spot price, for ten minutes', async () => {
  publishIndex('BTC');
  publishBook('btcOptions', [option('BTC', 'C'), option('BTC', 'P')]);
  await finishAll();
  const nextChain = async (laterMs: number): Promise<OptionFigures | undefined> => {
    // The index of another coin does not make this one's newer.
    publishIndexes({ BTC: AT_MS, ETH: AT_MS + laterMs });
    publishBook('btcOptions', [option('BTC', 'C'), option('BTC', 'P')], AT_MS + laterMs);
    for (const order of orders.splice(0)) order.done();
    await vi.waitUntil(() => figures('BTC')?.fetchedAtMs === AT_MS + laterMs);
    return figures('BTC');
  };
  expect((await nextChain(90_000))?.gex?.fetchedAtMs).toBe(AT_MS + 90_000);
  expect((await nextChain(120_000))?.gex?.fetchedAtMs).toBe(AT_MS + 90_000);
  expect((await nextChain(690_000))?.gex).toMatchObject({ spot: 100, fetchedAtMs: AT_MS + 90_000 });
  expect((await nextChain(690_001))?.gex).toBeUndefined();
});

it.each([
  { what: 'its index', come: () => publishIndex('BTC'), has: { spot: 100 } },
  { what: 'the other book', come: () => publishBook('usdcOptions', []), has: { otherOi: 0 } },
])('makes them again when $what comes while they are being made', async ({ come, has }) => {
  publishBook('btcOptions', [option('BTC', 'C'), option('BTC', 'P')]);
  expect(orders[0]?.payload).not.toMatchObject(has);
  come();
  orders[0]?.done();
  await vi.waitUntil(() => figures('BTC') !== undefined);
  await vi.waitUntil(() => orders.some(({ payload }, i) => i > 0 && payload.coin === 'BTC'));
  expect(orders.at(-1)?.payload).toMatchObject({ coin: 'BTC', ...has });
});

it('says what share of the open interest a chain is once the other book is known, and not before', async () => {
  publishIndex('BTC');
  publishBook('btcOptions', [option('BTC', 'C'), option('BTC', 'P')]);
  await finishAll();
  expect(figures('BTC')?.gex).not.toHaveProperty('oiCoveredPct');
  publishBook('usdcOptions', [{ ...option('BTC', 'C'), isLinear: true, openInterest: 30 }]);
  expect(orders.map(({ payload }) => payload.coin)).toEqual(['SOL', 'XRP', 'BTC']);
  for (const order of orders.splice(0)) order.done();
  await vi.waitUntil(() => figures('BTC')?.gex?.oiCoveredPct !== undefined);
  expect(figures('BTC')?.gex?.oiCoveredPct).toBe(25);
  // Another one of it changes nothing, until the chain itself changes.
  publishBook('usdcOptions', [{ ...option('BTC', 'C'), isLinear: true, openInterest: 0 }]);
  expect(orders.map(({ payload }) => payload.coin)).toEqual(['SOL', 'XRP']);
});

it('makes them again without what has expired, though no other chain has come', async () => {
  publishIndex('BTC');
  const later = { ...option('BTC', 'P'), expiryMs: AT_MS + 2 * 86_400_000 };
  publishBook('btcOptions', [option('BTC', 'C'), option('BTC', 'P'), later]);
  await finishAll();
  expect(Object.keys(figures('BTC')?.skew.smileByExpiry ?? {})).toHaveLength(2);
  clock.advance(86_400_000);
  expect(orders.map(({ payload }) => payload.options)).toEqual([[later]]);
});

it('takes no share from a book of another time', async () => {
  publishBook('usdcOptions', [option('XRP', 'C')], AT_MS - 91_000);
  publishIndex('BTC');
  publishBook('btcOptions', [option('BTC', 'C'), option('BTC', 'P')]);
  await finishAll();
  expect(figures('BTC')?.gex).not.toHaveProperty('oiCoveredPct');
});
