import { DAY_MS, MINUTE_MS } from '@crosstape/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bookSummaries } from './book-summary.ts';
import { indexPrice } from './index-price.ts';
import { readOptionName } from './option-name.ts';
import { optionTrades } from './option-trades.ts';
import { volatilityIndex } from './volatility-index.ts';

describe('the name of an option', () => {
  it.each([
    'BTC-27DEC26-100000',
    'BTC-PERPETUAL',
    'BTC-27DEC26',
    'BTC-27DEC26-0-C',
    'BTC-27DEC26-100000-X',
    'BTC-30FEB26-100000-C',
    'BTC_EURR-27DEC26-100000-C',
    'btc-27DEC26-100000-C',
    'XRP_USDC-21SEP26-1d-C',
    '',
  ])('is not %j', (name) => {
    expect(() => readOptionName(name)).toThrow('is not the name of an option');
  });

  it('says the strike to the last decimal', () => {
    const strikes = fc.tuple(fc.integer({ min: 1, max: 999_999 }), fc.integer({ min: 0, max: 6 }));
    fc.assert(
      fc.property(strikes, ([units, decimals]) => {
        const strike = units / 10 ** decimals;
        const text = strike.toFixed(decimals).replace('.', 'd');
        expect(readOptionName(`XRP_USDC-3JUL26-${text}-C`).strike).toBe(strike);
      }),
    );
  });
});

it('asks for the index of those coins that have one, by its name', () => {
  expect(indexPrice.keys({}, ['BTC', 'DOGE', 'XRP'])).toEqual(['BTC', 'XRP']);
  expect(indexPrice.request('XRP').path).toBe('/api/v2/public/get_index_price?index_name=xrp_usdc');
});

it('asks for the volatility index of the coins that have one, for 400 days', () => {
  expect(volatilityIndex.keys({}, ['BTC', 'SOL', 'ETH'])).toEqual(['BTC', 'ETH']);
  const nowMs = Date.UTC(2026, 10, 16, 14, 30);
  const range = `start_timestamp=${nowMs - 400 * DAY_MS}&end_timestamp=${nowMs}`;
  expect(volatilityIndex.request('ETH', nowMs)).toEqual({
    method: 'GET',
    path: `/api/v2/public/get_volatility_index_data?currency=ETH&${range}&resolution=1D`,
  });
});

it('begins trades of options ten minutes less than a day ago, before which the venue answers none', () => {
  expect(optionTrades.reachMs).toBe(DAY_MS - 10 * MINUTE_MS);
});

describe('a book with some malformed rows', () => {
  const row = (strike: number, openInterest: number): unknown => ({
    instrument_name: `BTC-25DEC26-${strike}-C`,
    open_interest: openInterest,
    volume: 0,
    mark_iv: 60,
    mark_price: 0.04,
    underlying_price: 97_742.14,
  });
  const read = (odd: number) => {
    const result = Array.from({ length: 20 }, (_, i) => row(100_000 + i, i < odd ? -1 : 5));
    return bookSummaries[0]?.parse({ jsonrpc: '2.0', result }, 0, {});
  };

  it('is returned without them while they are few', () => {
    const { btcOptions, refused } = read(2) ?? {};
    expect(btcOptions).toHaveLength(18);
    expect(refused).toHaveLength(2);
  });

  it('is refused when they are more than a tenth, for what is summed over the rest looks whole', () => {
    expect(() => read(3)).toThrow('3 of 20 rows: BTC-25DEC26-100000-C.open_interest is not zero or more: -1');
  });
});
