import { describe, expect, it } from 'vitest';
import { dealsBetween } from '../testing/deals-between.ts';
import { createMarket } from './market.ts';
import { SlotPlan } from './slot-plan.ts';
import type { Tape } from './tape.ts';
import { VenueMarket } from './venue-market.ts';

const START_MS = Date.UTC(2026, 10, 16, 14);
const MINUTE_MS = 60_000;

const tapeOf = (
  coinName: string,
  size: 'everyday' | 'real' = 'everyday',
): { tape: Tape; venue: VenueMarket } => {
  const shape = { id: 'binance', share: 2.4, basisBps: 1.4, latencyMs: 40, listed: 1 };
  const venue = new VenueMarket(createMarket({ seed: 7, size }), shape);
  const coin = venue.coins.find(({ name }) => name === coinName);
  if (!coin) throw new Error(`no ${coinName}`);
  return { tape: venue.tape({ symbol: `${coinName}USDT`, coin }), venue };
};

describe('the plan of slots', () => {
  it.each([0.0004, 0.7, 31, 450])(
    'numbers %d trades a second without gaps, and finds each by its number',
    (rate) => {
      const plan = new SlotPlan({ tradesPerS: rate, busy: 2.2, busySalt: 5 });
      const from = plan.slotAt(START_MS);
      for (let slot = from; slot < from + 40; slot += 1) {
        const first = plan.firstOf(slot);
        expect(plan.firstOf(slot + 1)).toBe(first + plan.countOf(slot));
        expect(plan.slotOf(first)).toBe(slot);
        expect(plan.slotOf(first + plan.countOf(slot) - 1)).toBe(slot);
      }
      const perS = (plan.firstOf(from + 800) - plan.firstOf(from)) / ((800 * plan.slotMs) / 1000);
      expect(Math.abs(perS / rate - 1)).toBeLessThan(0.05);
    },
  );
});

describe('the tape of a perpetual', () => {
  it('is the same however it is read, by time, by number, in pieces or by another program', () => {
    const whole = dealsBetween(tapeOf('BTC').tape, START_MS, START_MS + MINUTE_MS);
    const { tape } = tapeOf('BTC');
    const pieces = [];
    for (let atMs = START_MS; atMs < START_MS + MINUTE_MS; atMs += 777)
      pieces.push(...dealsBetween(tape, atMs, Math.min(atMs + 777, START_MS + MINUTE_MS)));
    expect(pieces).toEqual(whole);
    expect(tape.read(whole[9]!.number, whole[99]!.number)).toEqual(whole.slice(9, 99));
    expect(whole.map(({ number }) => number)).toEqual(whole.map((_, i) => whole[0]!.number + i));
    expect(whole.every(({ ts }, i) => ts >= (whole[i - 1]?.ts ?? START_MS))).toBe(true);
  });

  it('trades often where the coin does, near its price on the venue, on both sides, an order at a time', () => {
    const { tape, venue } = tapeOf('BTC');
    const deals = dealsBetween(tape, START_MS, START_MS + 3 * MINUTE_MS);
    expect(deals.length / 180).toBeGreaterThan(20);
    expect(deals.length / 180).toBeLessThan(45);
    for (const { ts, price, size } of deals.filter((_, i) => i % 50 === 0)) {
      expect(Math.abs(price / venue.quote('BTC', ts).mark - 1)).toBeLessThan(0.002);
      expect(size).toBeGreaterThan(0);
    }
    const buys = deals.filter(({ side }) => side === 'buy').length / deals.length;
    expect(buys).toBeGreaterThan(0.3);
    expect(buys).toBeLessThan(0.7);
    const sameOrder = deals.filter(({ number, order }) => order < number);
    expect(sameOrder.length / deals.length).toBeGreaterThan(0.2);
    for (const { order, side, ts } of sameOrder.slice(0, 100))
      expect(tape.read(order, order + 1)[0]).toMatchObject({ side, ts, order });
    const quiet = tapeOf('TRX').tape;
    const few = dealsBetween(quiet, START_MS, START_MS + 60 * MINUTE_MS).length;
    expect(few).toBeGreaterThan(100);
    expect(few).toBeLessThan(1200);
  });

  it('has every position that is closed by force, once', () => {
    const { tape, venue } = tapeOf('ETH');
    const coin = venue.coins.find(({ name }) => name === 'ETH')!;
    const forced = venue.liquidations(coin, START_MS, START_MS + 12 * 60 * MINUTE_MS);
    expect(forced.length).toBeGreaterThan(30);
    for (const { ts, price, size, side } of forced) {
      const reported = dealsBetween(tape, ts, ts + 1).filter(({ isLiquidation }) => isLiquidation);
      expect(reported).toContainEqual(expect.objectContaining({ ts, price, size, side }));
      expect(reported).toHaveLength(forced.filter((other) => other.ts === ts).length);
    }
  });

  it('comes in bursts at real size', () => {
    const { tape } = tapeOf('BTC', 'real');
    const perSlot = Array.from({ length: 16 }, (_, i) => {
      const fromMs = START_MS + i * 8192;
      return tape.nextAt(fromMs + 8192) - tape.nextAt(fromMs);
    });
    expect(Math.max(...perSlot)).toBeGreaterThan(3 * Math.min(...perSlot));
  });
});
