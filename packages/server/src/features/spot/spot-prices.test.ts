import type { SpotQuote, SpotTicker } from '@crosstape/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { median } from '../rates/median.ts';
import { spotPrices } from './spot-prices.ts';
import { usdtRate, type VenueSpot } from '../rates/usdt-rate.ts';

const NOW = 1_790_000_000_000;

function ticker(coin: string, quote: string, last: number, more: Partial<SpotTicker> = {}): SpotTicker {
  return { coin, symbol: `${coin}-${quote}`, quote, last, volume24hCoins: 10, ...more };
}

function reported(venue: string, rows: readonly SpotTicker[], ageMs = 0): VenueSpot {
  return { venue, tickers: { venue, rows, fetchedAtMs: NOW - ageMs, everyMs: 10_000 } };
}

const usdt = (price: number, more: Partial<SpotTicker> = {}): SpotTicker =>
  ticker('USDT', 'USD', price, more);

describe('the median', () => {
  it('is the middle one, or the mean of the middle two', () => {
    expect([[], [3], [5, 1], [9, 1, 4], [4, 3, 2, 1]].map(median)).toEqual([undefined, 3, 3, 4, 2.5]);
  });

  it('has as many below as above', () => {
    const values = fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1 });
    fc.assert(
      fc.property(values, (list) => {
        const middle = median(list) as number;
        expect(list.filter((one) => one < middle).length).toBeLessThanOrEqual(list.length / 2);
        expect(list.filter((one) => one > middle).length).toBeLessThanOrEqual(list.length / 2);
      }),
    );
  });
});

it('dates a price by its own row where those of a table were fetched one by one', () => {
  const { tickers } = reported('coinbase', [ticker('BTC', 'USD', 9), ticker('ETH', 'USD', 8), usdt(1)]);
  const rowsAtMs = [NOW, NOW - 61_000, NOW - 20_000];
  const spots = [{ venue: 'coinbase', tickers: { ...tickers, rowsAtMs } }];
  const { prices } = spotPrices(['BTC', 'ETH'], spots, NOW);
  expect(prices.map(({ receivedAtMs, isStale }) => [receivedAtMs, isStale])).toEqual([
    [NOW, false],
    [NOW - 61_000, true],
  ]);
  expect(usdtRate(spots, NOW)?.asOfMs).toBe(NOW - 20_000);
});

describe('the rate of USDT', () => {
  it('is the median of the venues that trade it against the dollar, of bid and ask where both are known', () => {
    const kraken = reported('kraken', [usdt(0.9, { bid: 0.998, ask: 1 })]);
    const coinbase = reported('coinbase', [usdt(0.997), ticker('USDT', 'EUR', 5)]);
    expect(usdtRate([kraken, coinbase], NOW)).toEqual({
      rate: 0.998,
      asOfMs: NOW,
      isStale: false,
      venues: ['kraken', 'coinbase'],
    });
  });

  it('leaves out stale venues, by the older of the two times', () => {
    const kraken = reported('kraken', [usdt(0.95, { venueTs: NOW - 60_001 })]);
    const coinbase = reported('coinbase', [usdt(1.01)], 60_000);
    expect(usdtRate([kraken, coinbase], NOW)).toMatchObject({
      rate: 1.01,
      isStale: false,
      venues: ['coinbase'],
    });
  });

  it('is the newest one and stale where all are, and none where no venue reports it', () => {
    const kraken = reported('kraken', [usdt(0.95)], 90_000);
    const coinbase = reported('coinbase', [usdt(1.01)], 80_000);
    const rate = usdtRate([kraken, coinbase], NOW);
    expect(rate).toEqual({ rate: 1.01, asOfMs: NOW - 80_000, isStale: true, venues: ['coinbase'] });
    expect(usdtRate([reported('binance', [ticker('BTC', 'USDT', 1)])], NOW)).toBeUndefined();
  });
});

describe('spot prices', () => {
  const rates = reported('kraken', [usdt(0.99), ticker('USDC', 'USD', 1.001)]);

  it('are in dollars, with what was quoted beside', () => {
    const row = ticker('BTC', 'USDT', 100_000, {
      bid: 99_990,
      ask: 100_030,
      change24hPct: -1.5,
      venueTs: NOW - 5,
    });
    expect(spotPrices(['BTC'], [rates, reported('binance', [row])], NOW).prices).toEqual([
      {
        coin: 'BTC',
        venue: 'binance',
        symbol: 'BTC-USDT',
        quote: 'USDT',
        rawPrice: 100_000,
        lastUsd: 99_000,
        bidUsd: 98_990.1,
        askUsd: 99_029.7,
        priceUsd: 99_009.9,
        volume24hCoins: 10,
        change24hPct: -1.5,
        receivedAtMs: NOW,
        asOfMs: NOW - 5,
        isStale: false,
      },
    ]);
  });

  it('are of the pair in USD, else in USDT, else in USDC, and of no other', () => {
    const pairs = [
      ticker('A', 'USDC', 3),
      ticker('A', 'USDT', 2),
      ticker('A', 'USD', 1),
      ticker('A', 'EUR', 9),
    ];
    const quoteOf = (rows: readonly SpotTicker[]): unknown =>
      spotPrices(['A'], [rates, reported('x', rows)], NOW).prices.map(({ quote, lastUsd }) => [
        quote,
        lastUsd,
      ]);
    expect(quoteOf(pairs)).toEqual([['USD', 1]]);
    expect(quoteOf(pairs.toReversed())).toEqual([['USD', 1]]);
    expect(quoteOf(pairs.slice(0, 2))).toEqual([['USDT', 1.98]]);
    expect(quoteOf(pairs.slice(0, 1))).toEqual([['USDC', 3.003]]);
    expect(quoteOf(pairs.slice(3))).toEqual([]);
  });

  it('are not made up where the worth of the currency is not known', () => {
    const answer = spotPrices(['BTC'], [reported('okx', [ticker('BTC', 'USDT', 1)])], NOW);
    expect(answer).toEqual({ prices: [], unpriced: [{ venue: 'okx', coin: 'BTC', quote: 'USDT' }] });
  });

  it('are stale after a minute, and so is what was converted with a stale rate', () => {
    const old = reported('kraken', [usdt(1), ticker('BTC', 'USD', 5)], 60_001);
    const fresh = reported('okx', [ticker('BTC', 'USDT', 5), ticker('ETH', 'USD', 1)]);
    const { prices } = spotPrices(['BTC', 'ETH'], [old, fresh], NOW);
    expect(prices.map(({ coin, venue, isStale }) => [coin, venue, isStale])).toEqual([
      ['BTC', 'kraken', true],
      ['BTC', 'okx', true],
      ['ETH', 'okx', false],
    ]);
  });

  it('are those that the venue pushes, unless what was polled is newer', () => {
    const [btc, rate] = [ticker('BTC', 'USDT', 100, { bid: 99, ask: 101 }), usdt(1)];
    const pushed = (ageMs: number, more: Partial<SpotQuote> = {}): VenueSpot => ({
      ...reported('okx', [btc, rate], 5_000),
      quotes: {
        venue: 'okx',
        rows: [
          { coin: 'BTC', symbol: 'BTC-USDC', quote: 'USDC', bid: 1, ask: 1, receivedAtMs: NOW },
          { coin: 'BTC', symbol: 'X', quote: 'USDT', bid: 109, ask: 111, receivedAtMs: NOW - ageMs, ...more },
        ],
        fetchedAtMs: NOW,
        everyMs: 500,
      },
    });
    const priceOf = (spot: VenueSpot): unknown => {
      const { priceUsd, lastUsd, receivedAtMs, volume24hCoins } =
        spotPrices(['BTC'], [spot], NOW).prices[0] ?? {};
      return [priceUsd, lastUsd, NOW - (receivedAtMs ?? 0), volume24hCoins];
    };
    expect(priceOf(pushed(100))).toEqual([110, 100, 100, 10]);
    expect(priceOf(pushed(100, { last: 111 }))).toEqual([110, 111, 100, 10]);
    expect(priceOf(pushed(7_000))).toEqual([110, 100, 7_000, 10]);
    expect(priceOf(pushed(7_001))).toEqual([100, 100, 5_000, 10]);
  });

  it('have the age that the venue reports for a pushed quote', () => {
    const spot = reported('okx', [ticker('BTC', 'USD', 100)], 5_000);
    const row = {
      coin: 'BTC',
      symbol: 'X',
      quote: 'USD',
      bid: 1,
      ask: 1,
      receivedAtMs: NOW,
      venueTs: NOW - 60_001,
    };
    const quotes = { venue: 'okx', rows: [row], fetchedAtMs: NOW, everyMs: 500 };
    expect(spotPrices(['BTC'], [{ ...spot, quotes }], NOW).prices[0]?.isStale).toBe(true);
  });

  it('take the change of a day from the price of a day ago where the venue reports no other', () => {
    const opens = (ageMs: number): VenueSpot => ({
      ...reported('kraken', [ticker('BTC', 'USD', 102)]),
      opens: {
        venue: 'kraken',
        rows: [{ coin: 'BTC', symbol: 'BTC-USD', open: 100 }],
        fetchedAtMs: NOW - ageMs,
        everyMs: 300_000,
      },
    });
    const changeOf = (spot: VenueSpot): unknown => spotPrices(['BTC'], [spot], NOW).prices[0]?.change24hPct;
    expect(changeOf(opens(0))).toBe(2);
    expect(changeOf(opens(1_800_001))).toBeUndefined();
    expect(changeOf(reported('kraken', [ticker('BTC', 'USD', 102)]))).toBeUndefined();
  });
});
