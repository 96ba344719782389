import { describe, expect, it } from 'vitest';
import { bps, compact, percent, plain, price, size, trend, usd } from './numbers.ts';
import { age, clockTime, dayAndTime } from './times.ts';

describe('figures', () => {
  it('have their unit, a true minus sign, and none where there is nothing', () => {
    expect([usd(1_234_567_890), usd(-45_600), usd(812.4), usd(0)]).toEqual([
      '$1.23B',
      '−$45.60K',
      '$812',
      '$0',
    ]);
    expect([percent(1.234), percent(-0.001), percent(-2.5, { digits: 1 })]).toEqual([
      '+1.23%',
      '0.00%',
      '−2.5%',
    ]);
    expect([bps(-17.53), bps(0.04)]).toEqual(['−17.5 bps', '0.0 bps']);
    expect([usd(500e6, { signed: true, digits: 1 }), compact(12_345)]).toEqual(['+$500.0M', '12.35K']);
  });

  it('have the digits that the browser would print', () => {
    const formatOf = (digits: number, notation: 'standard' | 'compact') =>
      new Intl.NumberFormat('en-US', {
        notation,
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      });
    const formats = [0, 1, 2, 4].map((digits) => ({
      digits,
      long: formatOf(digits, 'standard'),
      short: formatOf(digits, 'compact'),
    }));
    // Sizes of every order, half way between two roundings, and around a unit.
    const values = Array.from({ length: 500 }, (_, i) => 1.093_7 ** i * 1e-4 + 1.3e-7).filter(
      (v) => v < 1e10,
    );
    for (const value of [
      ...values,
      0,
      999,
      999.999_9,
      999_999,
      1_000,
      999_950_001,
      10.95,
      1.005,
      0.125,
      2.5,
      8.345,
      1_234_550,
      1e6,
      4_567_891_234_000,
      1e16,
    ])
      for (const { digits, long, short } of formats)
        expect([plain(value, digits), compact(value, digits)]).toEqual([
          long.format(value),
          short.format(value),
        ]);
    expect([plain(-0.001), plain(-1_234.5, 1), percent(-1e-9), compact(-1e16)]).toEqual([
      '0.00',
      '−1,234.5',
      '0.00%',
      `−${formats[2]?.short.format(1e16)}`,
    ]);
  });

  it('say that something is not known', () => {
    for (const value of [undefined, null, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect([usd(value), percent(value), bps(value), price(value), size(value), plain(value)]).toEqual(
        Array(6).fill('–'),
      );
      expect(trend(value)).toBe('');
    }
  });

  it('have the digits that a price of their size is quoted with', () => {
    expect([84_195, 3_812.3, 173.24, 2.4378, 0.15317, 0.008_193].map((value) => price(value))).toEqual([
      '84,195.0',
      '3,812.30',
      '173.24',
      '2.4378',
      '0.15317',
      '0.0081930',
    ]);
  });
});

describe('times', () => {
  const ms = Date.UTC(2026, 10, 15, 7, 5, 9);

  it('are printed in UTC, by a 24-hour clock', () => {
    expect([clockTime(ms, 'UTC'), dayAndTime(ms, 'UTC')]).toEqual(['07:05:09', '15 Nov, 07:05']);
    expect(clockTime(Date.UTC(2026, 0, 1), 'UTC')).toBe('00:00:00');
  });

  it('are printed as ages in the largest sufficient unit', () => {
    expect([400, 3_000, 95_000, 400_000, 5 * 3_600_000, 3 * 86_400_000].map(age)).toEqual([
      '0s',
      '3s',
      '95s',
      '7m',
      '5h',
      '3d',
    ]);
    expect(age(undefined)).toBe('');
  });
});
