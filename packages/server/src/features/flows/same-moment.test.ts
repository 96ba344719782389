import { describe, expect, it } from 'vitest';
import { spotPrices } from '../spot/spot-prices.ts';
import { NOW_MS, sampleInputs, sampleSpots } from './figures.fixture.ts';
import { flowFigures } from './flow-figures.ts';
import { proxyPrice } from './etf-proxy.ts';
import { sameMoment } from './same-moment.ts';
import { SignalWatch } from './signal-watch.ts';
import { venueSpreads } from './venue-spreads.ts';

const pricesOf = (...spots: Parameters<typeof sampleSpots>) =>
  spotPrices(['BTC'], sampleSpots(...spots), NOW_MS).prices;

describe('prices of the same moment', () => {
  it('are those received within two seconds; one beyond that is skewed and in no figure', () => {
    const prices = sameMoment(pricesOf({ okx: 110_000 }, { kraken: 2_000, okx: 2_001 }));
    expect(prices.map(({ venue, skewMs, isSkewed }) => [venue, skewMs, isSkewed])).toEqual([
      ['coinbase', 2_000, false],
      ['binance', 2_000, false],
      ['kraken', 2_000, false],
      ['okx', 2_001, true],
      ['bybit', 2_000, false],
    ]);
    expect(venueSpreads(prices)).toMatchObject({
      medianUsd: 100_000,
      freshVenues: 4,
      skewMs: 2_000,
      dispersionBps: 0,
    });
  });

  it('are of the moment at which the most venues have one, of the newest where it is as many', () => {
    const ages = { coinbase: 0, binance: 5_000, kraken: 5_500, okx: 6_000, bybit: 0 };
    const skewed = (prices: ReturnType<typeof sameMoment>): readonly string[] =>
      prices.filter(({ isSkewed }) => isSkewed).map(({ venue }) => venue);
    expect(skewed(sameMoment(pricesOf({}, ages)))).toEqual(['coinbase', 'bybit']);
    expect(skewed(sameMoment(pricesOf({}, { ...ages, okx: 90_000 })))).toEqual(['binance', 'kraken', 'okx']);
  });

  it('are taken from the last seconds where one venue is polled and the others push', () => {
    const before = pricesOf({ coinbase: 100_000 }, { ...allAt(8_000), coinbase: 8_400 });
    const now = pricesOf({ coinbase: 100_000, ...others(100_200) }, { coinbase: 8_400 });
    // Current prices of the others do not apply to a price of 8 s ago.
    expect(proxyPrice(sameMoment(now))).toMatchObject({ premiumBps: -19.96, isSkewed: true });
    const prices = sameMoment(now, before);
    expect(proxyPrice(prices)).toMatchObject({ premiumBps: 0, skewMs: 400, isSkewed: false });
    expect(venueSpreads(prices)).toMatchObject({ freshVenues: 5, dispersionBps: 0, skewMs: 400 });
  });

  it('are never made of stale ones', () => {
    const stale = { coinbase: 61_000, binance: 61_000, kraken: 61_000 };
    const prices = sameMoment(pricesOf({}, stale));
    expect(venueSpreads(prices)).toMatchObject({ freshVenues: 2, skewMs: 0 });
  });
});

describe('a comparison that is skewed', () => {
  const spots = sampleSpots({ coinbase: 100_300 }, { coinbase: 3_000 });

  it('makes no signal and no part of the score, and does not cover', () => {
    const figures = flowFigures(sampleInputs({ spots }));
    expect(figures.proxy).toMatchObject({ premiumBps: 30, isSkewed: true, skewMs: 3_000 });
    expect(new SignalWatch('BTC').update(figures)).toEqual([]);
    expect(figures.pressure.components.map(({ part }) => part)).not.toContain('proxyPremium');
    expect(figures.coverage).toMatchObject({ globalSpot: 'partial', etfProxy: 'stale' });
  });

  it('is one of Korea, too, when its price was received too early', () => {
    const { korea } = sampleInputs();
    const books = korea.books && { ...korea.books, fetchedAtMs: NOW_MS - 2_001 };
    const tickers = korea.tickers && { ...korea.tickers, fetchedAtMs: NOW_MS - 2_001 };
    const figures = flowFigures(sampleInputs({ korea: { ...korea, books, tickers } }));
    expect(figures.kimchi).toMatchObject({ skewMs: 2_001, isSkewed: true });
    expect(figures.pressure.components.map(({ part }) => part)).not.toContain('kimchiPremium');
    expect(figures.coverage.kimchi).toBe('stale');
  });
});

function allAt(ageMs: number): Parameters<typeof sampleSpots>[1] {
  return { coinbase: ageMs, binance: ageMs, kraken: ageMs, okx: ageMs, bybit: ageMs };
}

function others(priceUsd: number): Parameters<typeof sampleSpots>[0] {
  return { binance: priceUsd, kraken: priceUsd, okx: priceUsd, bybit: priceUsd };
}
