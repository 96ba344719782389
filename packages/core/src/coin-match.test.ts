import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCoinMatcher, priceInUnit, sizeInUnit } from './coin-match.ts';

const { match } = createCoinMatcher(['BTC', 'MOG', 'BABYDOGE', '1INCH', 'INCH', 'kPEPE', 'kSHIB', 'kSATS']);

describe('a base coin of another venue', () => {
  it.each([
    ['BTC', 'BTC', 1],
    ['PEPE', 'kPEPE', 1_000],
    ['kPEPE', 'kPEPE', 1],
    ['1000PEPE', 'kPEPE', 1],
    ['10000SATS', 'kSATS', 0.1],
    ['1000SATS', 'kSATS', 1],
    ['SATS', 'kSATS', 1_000],
    ['SHIB1000', 'kSHIB', 1],
    ['1000000MOG', 'MOG', 1e-6],
    ['1MBABYDOGE', 'BABYDOGE', 1e-6],
    ['1INCH', '1INCH', 1],
  ])('%s is %s, in units of %d', (base, coin, unit) => {
    expect(match(base)).toEqual({ coin, unit });
  });

  it.each(['1000CAT', '1MX', 'CAT1000', '1000', 'kCAT', 'BTC2', '1000kPEPE', '', '10INCH'])(
    '%s stays as it is: the primary venue lists nothing that it could be a multiple of',
    (base) => {
      expect(match(base)).toEqual({ coin: base, unit: 1 });
    },
  );

  it('is the coin itself where the primary venue lists both it and its thousands', () => {
    const both = createCoinMatcher(['PEPE', 'kPEPE']);
    expect(both.match('PEPE')).toEqual({ coin: 'PEPE', unit: 1 });
    expect(both.match('1000PEPE')).toEqual({ coin: 'PEPE', unit: 0.001 });
  });

  it('is not taken for a thousand when the primary venue lists a multiple by that very name', () => {
    expect(createCoinMatcher(['1000PEPE', 'kPEPE']).match('1000PEPE')).toEqual({ coin: '1000PEPE', unit: 1 });
  });
});

const ticker = fc.stringMatching(/^[A-Z]{2,6}$/);

it('knows every ticker of the primary venue as itself', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          ticker,
          ticker.map((coin) => `k${coin}`),
        ),
      ),
      (coins) => {
        const matcher = createCoinMatcher(coins);
        for (const coin of coins) expect(matcher.match(coin)).toEqual({ coin, unit: 1 });
      },
    ),
  );
});

it('finds a coin under each of its multiples, and what it is worth stays the same', () => {
  const multiple = fc.constantFrom(['', 1], ['1000', 1e3], ['10000', 1e4], ['1000000', 1e6], ['1M', 1e6]);
  fc.assert(
    fc.property(
      ticker,
      fc.boolean(),
      multiple as fc.Arbitrary<[string, number]>,
      fc.integer({ min: 1, max: 1e9 }),
      fc.integer({ min: 1, max: 1e9 }),
      (bare, isThousands, [prefix, factor], ticks, lots) => {
        const coin = isThousands ? `k${bare}` : bare;
        const found = createCoinMatcher([coin]).match(`${prefix}${bare}`);
        expect(found.coin).toBe(coin);
        const [price, size] = [ticks / 1e6, lots / 1e3];
        const scaledPrice = priceInUnit(price, found.unit);
        expect((scaledPrice * factor) / (isThousands ? 1_000 : 1) / price).toBeCloseTo(1, 12);
        expect((scaledPrice * sizeInUnit(size, found.unit)) / (price * size)).toBeCloseTo(1, 12);
      },
    ),
  );
});

it('moves the decimal point and nothing else', () => {
  const shift = fc.constantFrom(1e3, 10, 1, 0.1, 1e-3, 1e-6);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e12 }), fc.nat(8), shift, (digits, decimals, unit) => {
      const value = Number(`${digits}e-${decimals}`);
      const exponent = Math.round(Math.log10(unit));
      expect(priceInUnit(value, unit)).toBe(Number(`${digits}e${exponent - decimals}`));
      expect(sizeInUnit(value, unit)).toBe(Number(`${digits}e${-exponent - decimals}`));
      expect(sizeInUnit(sizeInUnit(value, unit), 1 / unit)).toBe(value);
    }),
  );
});

it('stays what it is without a match', () => {
  fc.assert(
    fc.property(fc.string(), (base) => {
      expect(createCoinMatcher([]).match(base)).toEqual({ coin: base, unit: 1 });
    }),
  );
});
