import { ManualClock } from '@crosstape/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TradeColumns } from '../../market/trade-columns.ts';
import { TradeRows } from '../../market/trade-rows.ts';
import { type Simulator, startSimulator } from '../../simulator.ts';
import type { WireCandle } from './candles.ts';
import type { WireContext } from './contexts.ts';
import { decimal, TradePrinter, type WireTrade } from './print.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30, 7);
const HOUR_MS = 3_600_000;
const clock = new ManualClock(T0);
let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ port: 0, seed: 33, clock, sources: ['hyperliquid'] });
});

afterAll(() => simulator.close());

async function post(body: unknown): Promise<{ status: number; text: string }> {
  // A minute later the weight is free again.
  clock.advance(61_000);
  const response = await fetch(`${simulator.url}/hyperliquid/info`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

async function ask<Answer>(body: unknown): Promise<Answer> {
  const { status, text } = await post(body);
  expect(status, text).toBe(200);
  const answer: Answer = JSON.parse(text);
  return answer;
}

describe('decimals', () => {
  it('are printed as the venue prints them', () => {
    expect(
      [69997, 0.83613, 0.0000125, -0.0000015186, 0, 1e-12, 123456.5].map((value) => decimal(value)),
    ).toEqual(['69997.0', '0.83613', '0.0000125', '-0.0000015186', '0.0', '0.0', '123456.5']);
    expect(decimal(12.3456, 2)).toBe('12.35');
    expect(decimal(100, 0)).toBe('100.0');
  });
});

describe('info', () => {
  it('lists the universe with delisted rows in place', async () => {
    const meta = await ask<{ universe: { name: string; isDelisted?: boolean }[] }>({ type: 'meta' });
    expect(meta.universe[0]).toEqual({ szDecimals: 5, name: 'BTC', maxLeverage: 40, marginTableId: 40 });
    expect(meta.universe[3]).toMatchObject({ name: 'MATIC', isDelisted: true });
    const builder = await ask<{ universe: { name: string }[] }>({ type: 'meta', dex: 'xyz' });
    expect(builder.universe.every(({ name }) => name.startsWith('xyz:'))).toBe(true);
    expect(await ask<unknown[]>({ type: 'allPerpMetas' })).toEqual([meta, builder]);
  });

  it('gives contexts that say what the market says', async () => {
    const [meta, contexts] = await ask<
      [{ universe: { name: string; isDelisted?: boolean }[] }, WireContext[]]
    >({
      type: 'metaAndAssetCtxs',
    });
    const { market } = simulator;
    expect(contexts).toHaveLength(meta.universe.length);
    for (const [i, { name, isDelisted }] of meta.universe.entries()) {
      const context = contexts[i]!;
      if (isDelisted === true) {
        expect(context).toMatchObject({ openInterest: '0.0', midPx: null, premium: null, impactPxs: null });
        continue;
      }
      const quote = market.quote(name, clock.now());
      expect(Number(context.markPx)).toBe(quote.mark);
      expect(Number(context.midPx)).toBe(quote.mid);
      expect(Number(context.oraclePx) / quote.index).toBeCloseTo(1, 3);
      expect(Number(context.funding)).toBeCloseTo(market.funding(name, clock.now()).rate, 9);
      expect(Number(context.openInterest) / market.openInterest(name, clock.now())).toBeCloseTo(1, 4);
      expect(context.markPx).toMatch(/^\d+\.\d+$/);
    }
  });

  it('gives few recent trades, newest first, which are the market’s own', async () => {
    const trades = await ask<WireTrade[]>({ type: 'recentTrades', coin: 'BTC' });
    const rows = new TradeRows(simulator.market);
    const coin = simulator.market.coins[0]!;
    const printer = new TradePrinter(simulator.market.seed);
    expect(trades).toHaveLength(10);
    expect(trades).toEqual(
      rows
        .recent(coin, clock.now(), 10)
        .toReversed()
        .map((row) => printer.print(row, 0)),
    );
    expect(trades[0]!.users.every((user) => /^0x[0-9a-f]{40}$/.test(user))).toBe(true);
    expect(trades[0]).not.toHaveProperty('liquidation');
  });

  it('has an empty hash on about a quarter of the orders', () => {
    const rows = new TradeRows(simulator.market).read(simulator.market.coins[0]!, T0 - HOUR_MS, T0);
    const printer = new TradePrinter(1);
    const zeros = rows.filter((row) => /^0x0+$/.test(printer.print(row, 0).hash)).length;
    expect(zeros / rows.length).toBeGreaterThan(0.2);
    expect(zeros / rows.length).toBeLessThan(0.36);
  });

  it('gives funding history by the hour, oldest first, and what the running hour will pay', async () => {
    const startTime = T0 - 5 * HOUR_MS;
    const rows = await ask<{ time: number; fundingRate: string }[]>({
      type: 'fundingHistory',
      coin: 'ENA',
      startTime,
    });
    expect(rows).toHaveLength(5);
    for (const { time, fundingRate } of rows) {
      expect(time % HOUR_MS).toBe(0);
      expect(Number(fundingRate)).toBeCloseTo(simulator.market.fundingPaid('ENA', time).rate, 9);
    }
    const predicted = await ask<
      [string, [string, { fundingRate: string; nextFundingTime: number } | null][]][]
    >({
      type: 'predictedFundings',
    });
    const [, venues] = predicted.find(([coin]) => coin === 'ENA')!;
    const own = venues.find(([venue]) => venue === 'HlPerp')![1]!;
    expect(Number(own.fundingRate)).toBeCloseTo(simulator.market.funding('ENA', clock.now()).rate, 9);
    expect(own.nextFundingTime).toBe(T0 - (T0 % HOUR_MS) + HOUR_MS);
  });

  it('gives the book as fine or coarse as asked, never crossed', async () => {
    type Book = { levels: { px: string; sz: string; n: number }[][]; spread?: string; time: number };
    for (const grain of [{}, { nSigFigs: 2 }, { nSigFigs: 4 }, { nSigFigs: 5, mantissa: 5 }]) {
      const book = await ask<Book>({ type: 'l2Book', coin: 'SOL', ...grain });
      const [bids, asks] = book.levels;
      expect(bids!.length).toBeLessThanOrEqual(20);
      expect(Number(bids![0]!.px)).toBeLessThan(Number(asks![0]!.px));
      expect('spread' in book).toBe('nSigFigs' in grain);
    }
    const fine = await ask<Book>({ type: 'l2Book', coin: 'SOL' });
    const { bids } = simulator.market.book('SOL', clock.now(), 20);
    expect(fine.levels[0]!.map(({ px }) => Number(px))).toEqual(bids.map(({ price }) => price));
    expect(await ask({ type: 'l2Book', coin: 'NOPE' })).toBeNull();
  });

  it('sums the sizes and orders of its own book in coarse levels, and sends 20 of them', async () => {
    type Sides = { levels: { px: string; sz: string; n: number }[][] };
    for (const nSigFigs of [5, 4, 3]) {
      const { levels } = await ask<Sides>({ type: 'l2Book', coin: 'BTC', nSigFigs });
      const { bids, asks } = simulator.market.book('BTC', clock.now(), 3_000);
      expect(levels.map(({ length }) => length)).toEqual([20, 20]);
      for (const [side, own] of [bids, asks].entries()) {
        const [first, last] = [Number(levels[side]![0]!.px), Number(levels[side]!.at(-1)!.px)];
        const covered = own.filter(({ price }) => (side === 0 ? price >= last : price <= last));
        const sum = (of: (level: (typeof own)[number]) => number): number =>
          covered.reduce((total, level) => total + of(level), 0);
        const sizes = levels[side]!.reduce((total, { sz }) => total + Number(sz), 0);
        expect(sizes).toBeCloseTo(
          sum(({ size }) => size),
          4,
        );
        expect(levels[side]!.reduce((total, { n }) => total + n, 0)).toBe(sum(({ orders }) => orders));
        // Bids are rounded down and asks up.
        const best = own[0]!.price;
        expect(side === 0 ? first <= best : first >= best).toBe(true);
      }
    }
  });

  it('makes candles of the same trades', async () => {
    const startTime = T0 - 3 * HOUR_MS;
    const candles = await ask<WireCandle[]>({
      type: 'candleSnapshot',
      req: { coin: 'ETH', interval: '15m', startTime, endTime: T0 + HOUR_MS },
    });
    expect(candles.length).toBeGreaterThanOrEqual(12);
    const columns = new TradeColumns(1 << 16);
    for (const candle of candles) {
      simulator.market.fill('ETH', candle.t, Math.min(candle.T, clock.now()) + 1, columns);
      const prices = columns.price.subarray(0, columns.length);
      const lots = columns.lots.subarray(0, columns.length);
      expect(candle.n).toBe(columns.length);
      expect(Number(candle.o)).toBe(prices[0]! / 100);
      expect(Number(candle.c)).toBe(prices.at(-1)! / 100);
      expect(Number(candle.h)).toBe(Math.max(...prices) / 100);
      expect(Number(candle.l)).toBe(Math.min(...prices) / 100);
      expect(Number(candle.v)).toBe(lots.reduce((sum, one) => sum + one, 0) / 10_000);
    }
  });

  it('gives the newest 5000 candles, and minutes of what it remembers only', async () => {
    const week = { coin: 'TRX', startTime: T0 - 30 * 24 * HOUR_MS };
    const minutes = await ask<WireCandle[]>({ type: 'candleSnapshot', req: { ...week, interval: '1m' } });
    expect(minutes.length).toBeGreaterThan(1000);
    expect(minutes.length).toBeLessThanOrEqual(5000);
    expect(minutes.every(({ t }, i) => i === 0 || t > minutes[i - 1]!.t)).toBe(true);
    const days = await ask<WireCandle[]>({ type: 'candleSnapshot', req: { ...week, interval: '1d' } });
    expect(days).toHaveLength(30);
    const months = await ask<WireCandle[]>({ type: 'candleSnapshot', req: { ...week, interval: '1M' } });
    expect(months).toEqual([]);
    const later = { coin: 'TRX', interval: '1m', startTime: T0 + 90 * 24 * HOUR_MS };
    expect(await ask({ type: 'candleSnapshot', req: later })).toEqual([]);
  });

  it('shows the sides of a liquidation to callers that ask for their own fills, and marks no others', async () => {
    const { market } = simulator;
    const rows = new TradeRows(market);
    const coin = market.coins.find(({ name }) => name === 'HYPE')!;
    const [cascade] = market.cascades('HYPE', T0 - 12 * HOUR_MS, T0 - HOUR_MS);
    const startMs = cascade!.startBlock * 128;
    const trades = rows.read(coin, startMs, cascade!.endBlock * 128);
    const forced = trades.find((row) => row.isLiquidation)!;
    const usual = trades.find((row) => !row.isLiquidation)!;
    const printer = new TradePrinter(market.seed);
    type Fill = { tid: number; crossed: boolean; side: string; liquidation?: { liquidatedUser: string } };
    const fillsOf = (user: string, at: number): Promise<Fill[]> =>
      ask<Fill[]>({ type: 'userFillsByTime', user, startTime: at - 1000, endTime: at + 1000 });
    const taker = printer.taker(forced.taker);
    const own = (await fillsOf(taker, forced.ts)).find(({ tid }) => tid === forced.tid)!;
    expect(own).toMatchObject({
      crossed: true,
      side: forced.isBuy ? 'B' : 'A',
      liquidation: { liquidatedUser: taker },
    });
    const maker = (await fillsOf(printer.maker(forced.maker), forced.ts)).find(
      ({ tid }) => tid === forced.tid,
    )!;
    expect(maker).toMatchObject({
      crossed: false,
      side: forced.isBuy ? 'A' : 'B',
      liquidation: { liquidatedUser: taker },
    });
    const other = (await fillsOf(printer.taker(usual.taker), usual.ts)).find(({ tid }) => tid === usual.tid)!;
    expect(other).not.toHaveProperty('liquidation');
  });

  it('answers the small questions', async () => {
    expect(await ask({ type: 'exchangeStatus' })).toEqual({ time: clock.now(), specialStatuses: null });
    expect(await ask<unknown[]>({ type: 'perpDexs' })).toMatchObject([null, { name: 'xyz' }]);
    expect(await ask({ type: 'perpCategories' })).toContainEqual(['xyz:TSLA', 'stocks']);
    expect(Array.isArray(await ask({ type: 'perpsAtOpenInterestCap' }))).toBe(true);
    const mids = await ask<Record<string, string>>({ type: 'allMids' });
    expect(mids).toHaveProperty('kPEPE');
    expect(mids).not.toHaveProperty('MATIC');
  });

  it.each([
    ['not JSON', 'nope'],
    ['an unknown type', { type: 'secrets' }],
    ['a name of Object’s own', { type: 'constructor' }],
    ['an unknown coin', { type: 'recentTrades', coin: 'NOPE' }],
    ['a delisted coin', { type: 'recentTrades', coin: 'MATIC' }],
    ['an unknown dex', { type: 'meta', dex: 'abc' }],
    ['a missing start', { type: 'fundingHistory', coin: 'BTC' }],
    ['a malformed address', { type: 'userFillsByTime', user: '0x12', startTime: 1 }],
    ['an unknown interval', { type: 'candleSnapshot', req: { coin: 'BTC', interval: '7m', startTime: 1 } }],
    ['a mantissa without five figures', { type: 'l2Book', coin: 'BTC', nSigFigs: 4, mantissa: 2 }],
  ])('cannot read %s', async (_, body) => {
    expect(await post(body)).toEqual({
      status: 422,
      text: 'Failed to deserialize the JSON body into the target type',
    });
  });

  it('takes only POST at /info', async () => {
    expect((await fetch(`${simulator.url}/hyperliquid/info`)).status).toBe(405);
    expect((await fetch(`${simulator.url}/hyperliquid/other`, { method: 'POST', body: '{}' })).status).toBe(
      404,
    );
    expect((await fetch(`${simulator.url}/nowhere/info`, { method: 'POST', body: '{}' })).status).toBe(404);
  });
});
