import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spotPrices } from '../spot/spot-prices.ts';
import { etfDaily, proxyConfidence, proxyPrice } from './etf-proxy.ts';
import { etfDays, NOW_MS, sampleSpots, snapshot, ticker } from './figures.fixture.ts';
import { sameMoment } from './same-moment.ts';
import { venueSpreads } from './venue-spreads.ts';

const pricesOf = (...spots: Parameters<typeof sampleSpots>) =>
  sameMoment(spotPrices(['BTC'], sampleSpots(...spots), NOW_MS).prices);

describe('venue spreads', () => {
  it('measure every venue against the median, and name the dearest and the cheapest', () => {
    const spreads = venueSpreads(pricesOf({ coinbase: 100_100, binance: 99_950 }));
    expect(spreads).toMatchObject({
      medianUsd: 100_000,
      freshVenues: 5,
      dispersionBps: 15,
      premiumVenue: 'coinbase',
      discountVenue: 'binance',
    });
    expect(spreads?.rows.map(({ price, basisBps }) => [price.venue, basisBps])).toEqual([
      ['coinbase', 10],
      ['binance', -5],
      ['kraken', 0],
      ['okx', 0],
      ['bybit', 0],
    ]);
  });

  it('show a stale venue, but leave it out of median and extremes', () => {
    const spreads = venueSpreads(pricesOf({ coinbase: 110_000, okx: 100_020 }, { coinbase: 60_001 }));
    expect(spreads).toMatchObject({ medianUsd: 100_000, freshVenues: 4, premiumVenue: 'okx' });
    expect(spreads?.dispersionBps).toBe(2);
    expect(spreads?.rows[0]).toMatchObject({ basisBps: 1000, price: { venue: 'coinbase', isStale: true } });
  });

  it('have no dispersion of one venue, and nothing to say of none', () => {
    const old = { binance: 90_000, kraken: 90_000, okx: 90_000, bybit: 90_000 };
    const alone = venueSpreads(pricesOf({}, old));
    expect(alone).toMatchObject({ freshVenues: 1, premiumVenue: 'coinbase', discountVenue: 'coinbase' });
    expect(alone).not.toHaveProperty('dispersionBps');
    expect(venueSpreads(pricesOf({}, { ...old, coinbase: 90_000 }))).toBeUndefined();
    expect(venueSpreads([])).toBeUndefined();
  });

  it('report the value that was filled in for a venue that does not publish it', () => {
    const { bid: _bid, ask: _ask, change24hPct: _change, ...bare } = ticker('BTC', 'USD', 100_500);
    const spots = [{ venue: 'x', tickers: snapshot('x', [bare]) }, ...sampleSpots({ kraken: 101_000 })];
    const prices = sameMoment(spotPrices(['BTC'], spots, NOW_MS).prices);
    const [row] = venueSpreads(prices)?.rows ?? [];
    expect(row).toMatchObject({
      bidUsd: 100_500,
      askUsd: 100_500,
      estimated: ['bid', 'ask', 'change24hPct'],
    });
    // The others cost 99 009.90 a day ago.
    expect(row?.change24hPct).toBeCloseTo(1.505, 3);
    const alone = spotPrices(['BTC'], spots.slice(0, 1), NOW_MS);
    expect(venueSpreads(sameMoment(alone.prices))?.rows[0]?.change24hPct).toBe(0);
  });

  it('are finite, and the dispersion is that of the bases, whatever the prices', () => {
    const price = fc.double({ min: 0.001, max: 1e7, noNaN: true });
    fc.assert(
      fc.property(fc.tuple(price, price, price, price, price), ([a, b, c, d, e]) => {
        const spreads = venueSpreads(
          pricesOf({ coinbase: a, binance: b, kraken: c, okx: d, bybit: e }).map((one) => ({
            ...one,
            priceUsd: one.lastUsd,
          })),
        );
        const bases = spreads?.rows.map(({ basisBps }) => basisBps) ?? [];
        expect(bases.every(Number.isFinite)).toBe(true);
        expect(spreads?.dispersionBps).toBeCloseTo(Math.max(...bases) - Math.min(...bases), 1);
      }),
    );
  });
});

describe('the proxy venue', () => {
  it('is measured against the others alone', () => {
    expect(proxyPrice(pricesOf({ coinbase: 100_150 }))).toEqual({
      premiumBps: 15,
      othersMedianUsd: 100_000,
      volumeShare: 0.2,
      skewMs: 0,
      isSkewed: false,
    });
    // Two others are fresh: the mean of the two.
    const stale = { okx: 90_000, bybit: 90_000 };
    expect(
      proxyPrice(pricesOf({ coinbase: 100_000, binance: 100_100, kraken: 100_300 }, stale)),
    ).toMatchObject({
      othersMedianUsd: 100_200,
      premiumBps: -19.96,
    });
  });

  it('has no premium while it is stale, or all others are', () => {
    expect(proxyPrice(pricesOf({}, { coinbase: 60_001 }))).toBeUndefined();
    const others = { binance: 90_000, kraken: 90_000, okx: 90_000, bybit: 90_000 };
    expect(proxyPrice(pricesOf({}, others))).toBeUndefined();
  });

  it.each([
    [5, true, 'high'],
    [5, false, 'medium'],
    [4, true, 'medium'],
    [3, false, 'medium'],
    [2, true, 'low'],
  ] as const)(
    'of %d fresh venues, tape live: %s, is known with confidence %s',
    (fresh, isLive, confidence) => {
      expect(proxyConfidence(fresh, isLive)).toBe(confidence);
    },
  );
});

describe('the last complete day of the ETFs', () => {
  it('is given in standard deviations of the complete days', () => {
    const flows = etfDays(30, -30, 30, -30, 60);
    expect(etfDaily(snapshot('farside', [flows]))).toMatchObject({
      latestTotalUsdm: 60,
      cumulativeUsdm: 60,
      latestDateMs: flows.days.at(-1)?.dayMs,
      days: 5,
      sigmaUsdm: 36,
      deviations: 1.667,
    });
  });

  it('leaves out a day that is not complete', () => {
    const flows = etfDays(30, -30, 500);
    const days = flows.days.with(2, { ...(flows.days[2] as (typeof flows.days)[0]), flowsUsdm: {} });
    expect(etfDaily(snapshot('farside', [{ ...flows, days }]))).toMatchObject({
      latestTotalUsdm: -30,
      days: 2,
      deviations: -1,
    });
  });

  it('has no deviation where every day was alike, and is nothing without a complete day', () => {
    expect(etfDaily(snapshot('farside', [etfDays(0.1, 0.1, 0.1)]))).not.toHaveProperty('deviations');
    expect(etfDaily(snapshot('farside', [etfDays()]))).toBeUndefined();
  });
});
