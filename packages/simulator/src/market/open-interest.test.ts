import { describe, expect, it } from 'vitest';
import { createMarket } from './market.ts';
import { TradeColumns } from './trade-columns.ts';

const T0 = Date.UTC(2026, 10, 16);
const HOUR_MS = 3_600_000;
const market = createMarket({ seed: 11 });

/** The orders of a stretch of time, one entry each. */
function ordersOf(coin: string, fromMs: number, toMs: number) {
  const { sizeDecimals } = market.coins.find(({ name }) => name === coin)!;
  const columns = new TradeColumns(1 << 18);
  expect(market.fill(coin, fromMs, toMs, columns)).toBe(toMs);
  const orders: { ts: number; size: number; isForced: boolean }[] = [];
  for (let i = 0; i < columns.length; i += 1) {
    const size = columns.lots[i]! / 10 ** sizeDecimals;
    if (i > 0 && columns.order[i] === columns.order[i - 1]) orders.at(-1)!.size += size;
    else orders.push({ ts: columns.ts[i]!, size, isForced: columns.isLiquidation[i] === 1 });
  }
  return orders;
}

describe('open interest', () => {
  it('falls by what a forced order filled, in the moment it fills', () => {
    const orders = ordersOf('HYPE', T0, T0 + 72 * HOUR_MS);
    const alone = orders.filter(
      ({ ts, isForced }, i) => isForced && orders[i - 1]!.ts < ts && orders[i + 1]!.ts > ts,
    );
    expect(alone.length).toBeGreaterThan(10);
    for (const { ts, size } of alone) {
      const fall = market.openInterest('HYPE', ts - 1) - market.openInterest('HYPE', ts);
      expect(fall / size).toBeGreaterThan(0.95);
      expect(fall / size).toBeLessThan(1.05);
    }
  });

  it('rises, falls or stays with an ordinary order, so that a fall alone proves nothing', () => {
    const large = ordersOf('LINK', T0, T0 + 72 * HOUR_MS).filter(
      ({ size, isForced }, i, all) => !isForced && size > 500 && all[i - 1]!.ts < all[i]!.ts,
    );
    expect(large.length).toBeGreaterThan(200);
    const changes = large.map(
      ({ ts, size }) => (market.openInterest('LINK', ts) - market.openInterest('LINK', ts - 1)) / size,
    );
    const shareOf = (test: (change: number) => boolean) => changes.filter(test).length / changes.length;
    for (const share of [shareOf((change) => change > 0.7), shareOf((change) => change < -0.7)]) {
      expect(share).toBeGreaterThan(0.17);
      expect(share).toBeLessThan(0.35);
    }
  });

  it('hardly ever moves by a thousandth in half a minute where nothing is forced', () => {
    const calm = createMarket({ seed: 11, cascades: false });
    const changes = Array.from({ length: 960 }, (_, i) => {
      const atMs = T0 + i * 30_000;
      return Math.abs(Math.log(calm.openInterest('BTC', atMs + 30_000) / calm.openInterest('BTC', atMs)));
    });
    expect(changes.toSorted((a, b) => a - b)[Math.floor(0.5 * changes.length)]).toBeLessThan(0.0006);
    expect(changes.filter((change) => change < 0.001).length / changes.length).toBeGreaterThan(0.85);
  });

  it('comes back within the hour', () => {
    const cascade = market
      .cascades('HYPE', T0, T0 + 72 * HOUR_MS)
      .toSorted((a, b) => b.openInterestShare - a.openInterestShare)[0]!;
    const calm = createMarket({ seed: 11, cascades: false });
    const against = (block: number) =>
      market.openInterest('HYPE', block * 128) / calm.openInterest('HYPE', block * 128);
    expect(against(cascade.endBlock)).toBeLessThan(1 - cascade.openInterestShare / 2);
    expect(against(cascade.windowEndBlock - 1)).toBeCloseTo(1, 3);
  });
});
