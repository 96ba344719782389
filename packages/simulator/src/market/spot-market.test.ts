import { spotVenues } from '@crosstape/venues';
import { describe, expect, it } from 'vitest';
import { bankTimeMs, Currencies } from './currencies.ts';
import { createMarket } from './market.ts';
import { SpotMarket } from './spot-market.ts';
import { VenueMarket } from './venue-market.ts';

const T0 = Date.UTC(2026, 10, 12, 12);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const BTC_USD = { base: 'BTC', quote: 'USD', priceDecimals: 2 };
/** Where a lot has fewer decimals than eight. */
const LOT_DECIMALS: Readonly<Record<string, number>> = { 'binance-spot': 5, 'bybit-spot': 6 };

function spotsOf(seed: number): readonly SpotMarket[] {
  const market = createMarket({ seed });
  return spotVenues.map(({ id }) => {
    const shape = { id, share: 0.3, basisBps: 1.2, latencyMs: 50, listed: 0.9 };
    return new SpotMarket(new VenueMarket(market, shape));
  });
}

/** In basis points: from the cheapest to the dearest, and the first against the middle of the others. */
function apart(
  spots: readonly SpotMarket[],
  atMs: number,
): { readonly range: number; readonly proxy: number } {
  const [proxy = 0, ...others] = spots.map((spot) => {
    const { bid, ask } = spot.quote(BTC_USD, atMs);
    return (bid + ask) / 2;
  });
  const sorted = others.toSorted((x, y) => x - y);
  const half = (sorted.length - 1) / 2;
  const middle = ((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half)] ?? 0)) / 2;
  const range = (Math.max(...others, proxy) - Math.min(...others, proxy)) / middle;
  return { range: 1e4 * range, proxy: 1e4 * (proxy / middle - 1) };
}

it('trades in the lots of each venue', () => {
  for (const [i, { id }] of spotVenues.entries()) {
    const spot = spotsOf(7)[i]!;
    const decimals = LOT_DECIMALS[id] ?? 8;
    expect(spot.sizeDecimals('BTC')).toBe(decimals);
    const sizes = spot.deals(BTC_USD, T0, T0 + HOUR_MS).map(({ size }) => size);
    expect(sizes.length).toBeGreaterThan(100);
    expect(sizes.filter((size) => Number(size.toFixed(decimals)) !== size)).toEqual([]);
    expect(sizes.some((size) => Number(size.toFixed(decimals - 1)) !== size)).toBe(true);
  }
});

/** Every 15 s of an hour. */
const hourFrom = (startMs: number): readonly number[] =>
  Array.from({ length: 240 }, (_, i) => startMs + i * 15_000);

describe.each([1, 7, 2026])('the spot venues of seed %i', (seed) => {
  const spots = spotsOf(seed);
  const starts = [0, 7, 13, 25, 31, 47].map((minutes) => T0 + minutes * MINUTE_MS);

  it('show everything that a signal waits for within an hour', () => {
    for (const startMs of starts) {
      const seen = hourFrom(startMs).map((atMs) => apart(spots, atMs));
      expect(Math.max(...seen.map(({ range }) => range))).toBeGreaterThan(30);
      expect(Math.max(...seen.map(({ proxy }) => Math.abs(proxy)))).toBeGreaterThan(15);
      const premiums = hourFrom(startMs).map((atMs) =>
        Math.abs(1e4 * new Currencies(seed).koreanPremium(atMs)),
      );
      expect(Math.max(...premiums)).toBeGreaterThan(400);
    }
  });

  it('are close to each other most of the time', () => {
    const ranges = hourFrom(T0).map((atMs) => apart(spots, atMs).range);
    expect(ranges.filter((range) => range < 12).length).toBeGreaterThan(ranges.length / 3);
  });
});

it('is the same for every caller, and in whatever order', () => {
  const [one] = spotsOf(7);
  const [other] = spotsOf(7);
  const times = [T0, T0 - 5 * HOUR_MS, T0 + 17_000];
  const pair = { base: 'ETH', quote: 'USDT', priceDecimals: 2 };
  const asked = times.map((atMs) => one?.quote(pair, atMs));
  expect(times.toReversed().map((atMs) => other?.quote(pair, atMs))).toEqual(asked.toReversed());
});

it('quotes one pair in another currency at what that currency is worth', () => {
  const [, spot] = spotsOf(7);
  if (!spot) throw new Error('no venue');
  const bidIn = (quote: string): number => spot.quote({ ...BTC_USD, quote }, T0).bid;
  expect(bidIn('USD') / bidIn('USDT')).toBeCloseTo(spot.money.usdt(T0), 6);
  const won = spot.money.usdKrw(T0) * (1 + spot.money.koreanPremium(T0));
  expect(bidIn('KRW') / bidIn('USD') / won).toBeCloseTo(1, 4);
});

it('counts its trades without gaps, in order, and fills of one order have one time and side', () => {
  const [spot] = spotsOf(7);
  const deals = [0, 1, 2].flatMap((i) => spot?.deals(BTC_USD, T0 + i * 5_000, T0 + (i + 1) * 5_000) ?? []);
  expect(deals.length).toBeGreaterThan(20);
  deals.forEach((deal, i) => {
    const before = deals[i - 1];
    if (!before) return;
    expect(deal.id).toBe(before.id + 1);
    expect(deal.ts).toBeGreaterThanOrEqual(before.ts);
    if (deal.order === before.order) expect([deal.ts, deal.side]).toEqual([before.ts, before.side]);
  });
  expect(new Set(deals.map(({ order }) => order)).size).toBeLessThan(deals.length);
});

it('trades bitcoin as the captured venues do', () => {
  const [spot] = spotsOf(7);
  const deals = spot?.deals(BTC_USD, T0, T0 + HOUR_MS) ?? [];
  const share = (is: (deal: (typeof deals)[number], before: (typeof deals)[number]) => boolean): number =>
    deals.filter((deal, i) => i > 0 && is(deal, deals[i - 1]!)).length / deals.length;
  const ticks = (a: number, b: number): number => Math.round(100 * Math.abs(a - b));
  expect(share((deal, before) => deal.order === before.order)).toBeCloseTo(0.46, 1);
  expect(share((deal, before) => ticks(deal.price, before.price) <= 1)).toBeGreaterThan(0.4);
  for (let atMs = T0; atMs < T0 + 20_000; atMs += 100) {
    const { bid, ask } = spot!.quote(BTC_USD, atMs);
    expect(ticks(bid, ask)).toBe(1);
  }
  const usd = deals.map(({ price, size }) => price * size).toSorted((a, b) => a - b);
  const mean = usd.reduce((sum, one) => sum + one, 0) / usd.length;
  expect(usd[usd.length >> 1]).toBeGreaterThan(80);
  expect(usd[usd.length >> 1]).toBeLessThan(140);
  expect(mean).toBeGreaterThan(900);
  expect(mean).toBeLessThan(2_500);
});

it('lets the tether leave its peg now and then, and come back', () => {
  const money = new Currencies(7);
  const off = Array.from({ length: 24 * 60 }, (_, i) => 1e4 * Math.abs(money.usdt(T0 + i * MINUTE_MS) - 1));
  expect(Math.max(...off)).toBeGreaterThan(40);
  expect(off.filter((bps) => bps < 5).length).toBeGreaterThan(off.length * 0.8);
});

it('rests the won from Friday night to Monday', () => {
  const money = new Currencies(7);
  const saturday = Date.UTC(2026, 10, 14, 5);
  const sunday = Date.UTC(2026, 10, 15, 23, 59);
  expect(new Date(bankTimeMs(saturday)).toISOString()).toBe('2026-11-13T23:59:00.000Z');
  expect(bankTimeMs(sunday)).toBe(bankTimeMs(saturday));
  expect(money.usdKrw(sunday)).toBe(money.usdKrw(saturday));
  expect(bankTimeMs(Date.UTC(2026, 10, 16, 0, 0, 30))).toBe(Date.UTC(2026, 10, 16));
});
