import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecimal, shortDecimal } from './decimal.ts';

const digits = (lengths: { readonly minLength: number; readonly maxLength: number }) =>
  fc.array(fc.nat(9), lengths).map((list) => list.join(''));

describe('a short decimal', () => {
  it('is the number that JavaScript reads from the same text', () => {
    const short = fc
      .tuple(digits({ minLength: 1, maxLength: 14 }), fc.option(digits({ minLength: 1, maxLength: 13 })))
      .map(([whole, fraction]) => (fraction === null ? whole : `${whole}.${fraction}`))
      .filter((text) => text.length <= 15);
    fc.assert(
      fc.property(short, (text) => {
        expect(shortDecimal(text)).toBe(Number(text));
      }),
    );
    for (const text of ['0', '0.0', '999999999999999', '0.0000000000001', '115309.80000000', '0.1', '1.005'])
      expect(shortDecimal(text)).toBe(Number(text));
  });

  it('rejects other texts, and reads longer and signed decimals', () => {
    for (const text of ['', '.', '.5', '5.', '1.2.3', '1e5', ' 1', '1 ', '+1', 'NaN', '0x1', '1,5', '１'])
      expect(shortDecimal(text)).toBeNaN();
    for (const text of ['-1.5', '.48', '-.5', '1234567890.123456', '0.00000000000000001'])
      expect([shortDecimal(text), parseDecimal(text)]).toEqual([Number.NaN, Number(text)]);
    for (const text of ['', '5.', '1.2.3', '1e5', '+1', 'NaN']) expect(parseDecimal(text)).toBeUndefined();
  });
});
