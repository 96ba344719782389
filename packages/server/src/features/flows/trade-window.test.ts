import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LARGE_PRINT_USD, TRADE_WINDOW_MS, TradeWindow, type WindowTrade } from './trade-window.ts';

const START_MS = 1_790_000_000_000;

function trade(ts: number, notionalUsd: number, options: Partial<WindowTrade> = {}): WindowTrade {
  return { ts, side: 'buy', notionalUsd, sameOrder: false, ...options };
}

/** The same by looking at every trade, in whole hundredths of a cent. */
function rescan(trades: readonly { trade: WindowTrade; arrivedMs: number }[], nowMs: number) {
  const units = (usd: number): number => Math.round(usd * 10_000);
  const orders: (typeof trades)[number][][] = [];
  for (const one of trades) {
    if (one.trade.sameOrder && orders.length > 0) orders.at(-1)?.push(one);
    else orders.push([one]);
  }
  let [volume, net, largeNet] = [0, 0, 0];
  for (const order of orders) {
    const size = order.reduce((sum, one) => sum + units(one.trade.notionalUsd), 0);
    for (const one of order) {
      if (Math.min(one.trade.ts, one.arrivedMs) <= nowMs - TRADE_WINDOW_MS) continue;
      const signed = units(one.trade.notionalUsd) * (one.trade.side === 'buy' ? 1 : -1);
      volume += Math.abs(signed);
      net += signed;
      if (size >= LARGE_PRINT_USD * 10_000) largeNet += signed;
    }
  }
  return { volumeUsd: volume / 10_000, netUsd: net / 10_000, largeNetUsd: largeNet / 10_000 };
}

const usd = fc.double({ min: 0.000_001, max: 50_000, noNaN: true }).map((value) => Number(value.toFixed(6)));
const orders = fc.record({
  /** Time until it, its delay, and the time after it when the window is read. */
  gapMs: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 120_000 })),
  lateMs: fc.oneof(fc.constant(0), fc.integer({ min: -5_000, max: 20_000 })),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  fills: fc.array(usd, { minLength: 1, maxLength: 5 }),
});

describe('the window of five minutes', () => {
  it('always says what a look at every trade would', () => {
    fc.assert(
      fc.property(fc.array(orders, { maxLength: 80 }), (rows) => {
        const window = new TradeWindow();
        const seen: { trade: WindowTrade; arrivedMs: number }[] = [];
        let nowMs = START_MS;
        for (const { gapMs, lateMs, side, fills } of rows) {
          nowMs += gapMs;
          for (const [i, notionalUsd] of fills.entries()) {
            const one = { ts: nowMs - lateMs, side, notionalUsd, sameOrder: i > 0 };
            window.add(one, nowMs);
            seen.push({ trade: one, arrivedMs: nowMs });
          }
          expect(window.sums(nowMs)).toEqual(rescan(seen, nowMs));
        }
        for (let atMs = nowMs; atMs < nowMs + TRADE_WINDOW_MS; atMs += 997)
          expect(window.sums(atMs)).toEqual(rescan(seen, atMs));
        expect(window.sums(nowMs + TRADE_WINDOW_MS)).toEqual({ volumeUsd: 0, netUsd: 0, largeNetUsd: 0 });
      }),
    );
  });

  it('lets a trade go after five minutes, to the millisecond', () => {
    const window = new TradeWindow();
    window.add(trade(START_MS, 100), START_MS);
    expect(window.sums(START_MS + TRADE_WINDOW_MS - 1).netUsd).toBe(100);
    expect(window.sums(START_MS + TRADE_WINDOW_MS).netUsd).toBe(0);
  });

  it('drops a late trade in its turn', () => {
    const window = new TradeWindow();
    window.add(trade(START_MS + 10_000, 1), START_MS + 10_000);
    window.add(trade(START_MS, 100), START_MS + 10_000);
    expect(window.sums(START_MS + TRADE_WINDOW_MS).netUsd).toBe(1);
    window.add(trade(START_MS, 100), START_MS + TRADE_WINDOW_MS);
    expect(window.sums(START_MS + TRADE_WINDOW_MS).netUsd).toBe(1);
  });

  it('takes the fills of one order as one print, however small each is', () => {
    const window = new TradeWindow();
    window.add(trade(START_MS, 6_000, { side: 'sell' }), START_MS);
    expect(window.sums(START_MS).largeNetUsd).toBe(0);
    window.add(trade(START_MS, 4_000, { side: 'sell', sameOrder: true }), START_MS);
    expect(window.sums(START_MS).largeNetUsd).toBe(-10_000);
    window.add(trade(START_MS, 1, { side: 'sell', sameOrder: true }), START_MS);
    window.add(trade(START_MS, 9_999.99), START_MS);
    expect(window.sums(START_MS)).toEqual({ volumeUsd: 20_000.99, netUsd: -1.01, largeNetUsd: -10_001 });
  });

  it('lets a trade from the future go as if it had come now', () => {
    const window = new TradeWindow();
    window.add(trade(START_MS + 3_600_000, 100), START_MS);
    expect(window.sums(START_MS + TRADE_WINDOW_MS).volumeUsd).toBe(0);
  });
});
