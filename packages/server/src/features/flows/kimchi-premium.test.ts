import { describe, expect, it } from 'vitest';
import { koreanBook, koreanTicker, NOW_MS, rate, snapshot } from './figures.fixture.ts';
import { type KimchiInputs, kimchiPremium } from './kimchi-premium.ts';
import { usdKrw } from '../rates/usd-krw.ts';

const won = usdKrw([snapshot('dunamu', [rate(1_400)])], NOW_MS);

function premium(more: Partial<KimchiInputs> = {}): ReturnType<typeof kimchiPremium> {
  return kimchiPremium({
    coin: 'BTC',
    nowMs: NOW_MS,
    tickers: snapshot('upbit', [koreanTicker('BTC', 142_000_000), koreanTicker('USDT', 1_430)]),
    books: snapshot('upbit', [koreanBook('BTC', 141_400_000)]),
    usdKrw: won,
    usdtUsd: 1,
    medianUsd: 100_000,
    ...more,
  });
}

describe('the Korean premium', () => {
  it('compares the middle of the Korean book with the median of the world, by both rates of the won', () => {
    expect(premium()).toEqual({
      venue: 'upbit',
      pair: 'KRW-BTC',
      localPriceKrw: 141_400_000,
      priceFrom: 'book',
      usdKrw: won,
      localPriceUsd: 101_000,
      medianUsd: 100_000,
      premiumPct: 1,
      premiumBps: 100,
      pressure: 0.2,
      bookSizes: { bid: 6, ask: 4 },
      interpretation: 'premium',
      // 141 400 000 / 1 430 = 98 881.1: by the price of a tether it is a discount.
      usdt: { usdtKrw: 1_430, usdtUsd: 1, premiumBps: -111.89 },
      skewMs: 0,
      isSkewed: false,
      fetchedAtMs: NOW_MS,
    });
  });

  it.each([
    ['is old', [koreanBook('BTC', 141_400_000, { venueTs: NOW_MS - 60_001 })], undefined],
    ['has one side', [{ ...koreanBook('BTC', 1), ask: undefined } as never], 0.2],
    ['is not reported', [], undefined],
  ])('takes the last trade where the book %s', (_, rows, pressure) => {
    const reported = premium({ books: snapshot('upbit', rows) });
    expect(reported).toMatchObject({ priceFrom: 'last', localPriceKrw: 142_000_000, pressure });
  });

  it('dates a book by its own update, whatever other books reported since', () => {
    // The clock of the venue is ahead.
    const rows = [koreanBook('ETH', 1), koreanBook('BTC', 141_400_000, { venueTs: NOW_MS + 60_000 })];
    const tickers = {
      ...snapshot('upbit', [koreanTicker('BTC', 142_000_000)]),
      fetchedAtMs: NOW_MS - 50_000,
    };
    const premiumAt = (atMs: number) =>
      premium({
        tickers,
        usdKrw: won && { ...won, fetchedAtMs: 0 },
        books: { ...snapshot('upbit', rows), rowsAtMs: [NOW_MS, atMs] },
      });
    expect(premiumAt(NOW_MS - 40_000)).toMatchObject({ priceFrom: 'book', fetchedAtMs: NOW_MS - 40_000 });
    expect(premiumAt(NOW_MS - 60_001)).toMatchObject({ priceFrom: 'last', fetchedAtMs: NOW_MS - 50_000 });
  });

  it('has no pressure of an empty book', () => {
    const books = snapshot('upbit', [koreanBook('BTC', 141_400_000, { bidSize: 0, askSize: 0 })]);
    expect(premium({ books })).toMatchObject({ pressure: undefined, priceFrom: 'book' });
  });

  it.each([
    [100_501, 'premium'],
    [100_500, 'neutral'],
    [99_500, 'neutral'],
    [99_499, 'discount'],
  ] as const)('of %d USD against 100 000 is called %s', (usd, interpretation) => {
    const books = snapshot('upbit', [koreanBook('BTC', usd * 1_400)]);
    expect(premium({ books })).toMatchObject({ interpretation });
  });

  it('leaves out USDT where its price is old or its value unknown', () => {
    const tickers = snapshot('upbit', [
      koreanTicker('BTC', 142_000_000),
      koreanTicker('USDT', 1_430, { venueTs: NOW_MS - 60_001 }),
    ]);
    expect(premium({ tickers })).not.toHaveProperty('usdt');
    expect(premium({ usdtUsd: undefined })).not.toHaveProperty('usdt');
  });

  it('reports why there is none', () => {
    expect(premium({ coin: 'ABC' })).toBe('The Korean venue has sent no price of ABC.');
    expect(premium({ tickers: undefined })).toBe('The Korean venue has sent no price of BTC.');
    expect(premium({ usdKrw: undefined })).toBe('No rate of the won is known.');
    expect(premium({ medianUsd: undefined })).toBe('No spot venue has a fresh price of BTC.');
    const old = { venueTs: NOW_MS - 60_001 };
    expect(
      premium({
        tickers: snapshot('upbit', [koreanTicker('BTC', 142_000_000, old)]),
        books: snapshot('upbit', [koreanBook('BTC', 141_400_000, old)]),
      }),
    ).toBe('The newest price of BTC on the Korean venue is old.');
  });
});
