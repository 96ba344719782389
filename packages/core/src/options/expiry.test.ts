import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dayOfLabel, expiryLabel, yearsToExpiry } from './expiry.ts';

it('labels an expiry with a day of two digits', () => {
  expect(expiryLabel(Date.UTC(2026, 6, 3, 8))).toBe('03JUL26');
  expect(expiryLabel(Date.UTC(2026, 11, 25, 8))).toBe('25DEC26');
});

it('reads back every label that it prints, with or without the leading zero', () => {
  const days = fc.integer({
    min: Date.UTC(2020, 0, 1) / 86_400_000,
    max: Date.UTC(2099, 11, 31) / 86_400_000,
  });
  fc.assert(
    fc.property(days, (day) => {
      const label = expiryLabel(day * 86_400_000 + 8 * 3_600_000);
      expect(dayOfLabel(label)).toBe(day * 86_400_000);
      expect(dayOfLabel(label.replace(/^0/, ''))).toBe(day * 86_400_000);
    }),
  );
});

it.each(['31FEB26', '0JAN26', '32JAN26', '1FOO26', '1jan26', '123JAN26', 'JAN26', ''])(
  'does not take %j for a day',
  (label) => expect(dayOfLabel(label)).toBeUndefined(),
);

it('counts years of 365 days, at least an hour, and none once it is over', () => {
  const year = 365 * 86_400_000;
  expect(yearsToExpiry(year, 0)).toBe(1);
  expect(yearsToExpiry(1, 0)).toBe(3_600_000 / year);
  expect(yearsToExpiry(5, 5)).toBeUndefined();
});
