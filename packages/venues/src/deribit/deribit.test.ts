import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexPrice } from './index-price.ts';
import { readOptionName } from './option-name.ts';

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
