import { assert, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMarket, type Market } from './market.ts';
import { TradeColumns } from './trade-columns.ts';
import { BLOCK_TRADES_MAX } from './trades.ts';
import { runs } from '../../../../test/runs.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 0);
const COINS = ['BTC', 'XRP', 'kPEPE', 'TRX'] as const;

/** One line per trade, every column in it. */
function tradesOf(market: Market, coin: string, fromMs: number, toMs: number): string[] {
  const columns = new TradeColumns(2 * BLOCK_TRADES_MAX);
  const lines: string[] = [];
  for (let atMs = fromMs; atMs < toMs; ) {
    atMs = market.fill(coin, atMs, toMs, columns);
    for (let i = 0; i < columns.length; i += 1) {
      const { ts, price, lots, isBuy, order, tid, taker, maker, isLiquidation } = columns;
      lines.push(
        [ts[i], price[i], lots[i], isBuy[i], order[i], tid[i], taker[i], maker[i], isLiquidation[i]].join(),
      );
    }
  }
  return lines;
}

const moment = record({
  coin: constantFrom(...COINS),
  fromMs: integer({ min: T0 - 7 * 86_400_000, max: T0 }),
  lengthMs: integer({ min: 1, max: 120_000 }),
});

describe('a market', () => {
  it('is the same for the same seed, and another for another', () => {
    const one = tradesOf(createMarket({ seed: 5 }), 'BTC', T0, T0 + 600_000);
    expect(one.length).toBeGreaterThan(200);
    expect(tradesOf(createMarket({ seed: 5 }), 'BTC', T0, T0 + 600_000)).toEqual(one);
    expect(tradesOf(createMarket({ seed: 6 }), 'BTC', T0, T0 + 600_000)).not.toEqual(one);
  });

  it('gives the same trades however a stretch of time is cut', () => {
    const market = createMarket({ seed: 5, rate: 4 });
    assert(
      property(moment, integer({ min: 0, max: 120_000 }), ({ coin, fromMs, lengthMs }, cut) => {
        const cutMs = fromMs + Math.min(cut, lengthMs);
        const toMs = fromMs + lengthMs;
        const parts = [...tradesOf(market, coin, fromMs, cutMs), ...tradesOf(market, coin, cutMs, toMs)];
        expect(parts).toEqual(tradesOf(market, coin, fromMs, toMs));
      }),
      { numRuns: runs(150) },
    );
  });

  it('answers the same whatever was asked before', () => {
    const used = createMarket({ seed: 9 });
    assert(
      property(moment, ({ coin, fromMs }) => {
        const fresh = createMarket({ seed: 9 });
        expect(used.quote(coin, fromMs)).toEqual(fresh.quote(coin, fromMs));
        expect(used.openInterest(coin, fromMs)).toBe(fresh.openInterest(coin, fromMs));
        expect(used.funding(coin, fromMs)).toEqual(fresh.funding(coin, fromMs));
        expect(used.book(coin, fromMs, 20)).toEqual(fresh.book(coin, fromMs, 20));
        expect(used.volume24h(coin, fromMs)).toEqual(fresh.volume24h(coin, fromMs));
      }),
      { numRuns: runs(60) },
    );
  });

  it('stops at a block when columns are full, and continues from there without loss', () => {
    const market = createMarket({ seed: 5, rate: 200 });
    const columns = new TradeColumns(BLOCK_TRADES_MAX);
    const toMs = T0 + 600_000;
    const seen = new Float64Array(1 << 20);
    let count = 0;
    let fills = 0;
    for (let atMs = T0; atMs < toMs; fills += 1) {
      atMs = market.fill('BTC', atMs, toMs, columns);
      expect(columns.length).toBeGreaterThan(0);
      seen.set(columns.tid.subarray(0, columns.length), count);
      count += columns.length;
    }
    expect(fills).toBeGreaterThan(5);
    expect(fills).toBeLessThan(2 + (1.5 * count) / BLOCK_TRADES_MAX);
    const whole = new TradeColumns(1 << 20);
    expect(market.fill('BTC', T0, toMs, whole)).toBe(toMs);
    expect(count).toBe(whole.length);
    expect(whole.tid.subarray(0, count).every((tid, i) => tid === seen[i])).toBe(true);
  });

  it('has ids that are hash-like numbers of 50 bits, and times that never go back', () => {
    // Half a million: ids of 32 bits would repeat about thirty times.
    const columns = new TradeColumns(1 << 19);
    createMarket({ seed: 5, rate: 20 }).fill('BTC', T0, T0 + 6 * 3_600_000, columns);
    const tids = columns.tid.subarray(0, columns.length);
    expect(new Set(tids).size).toBe(columns.length);
    expect(Math.max(...tids.subarray(0, 10_000))).toBeGreaterThan(2 ** 49);
    expect(tids.every((tid) => Number.isSafeInteger(tid) && tid < 2 ** 50)).toBe(true);
    const times = columns.ts.subarray(0, columns.length);
    expect(times.every((ts, i) => i === 0 || ts >= times[i - 1]!)).toBe(true);
  });

  it('refuses what it cannot do in words', () => {
    expect(() => createMarket({ seed: 0.5 })).toThrow('a seed is a whole number, not 0.5');
    expect(() => createMarket({ seed: 1, rate: 0 })).toThrow('a rate is above 0 and at most 200, not 0');
    expect(() => createMarket({ seed: 1 }).quote('NOPE', T0)).toThrow('no such coin: NOPE');
    expect(() => createMarket({ seed: 1 }).quote('MATIC', T0)).toThrow('delisted');
    expect(() => createMarket({ seed: 1 }).fill('BTC', T0, T0 + 1, new TradeColumns(100))).toThrow(
      'columns hold',
    );
  });
});
