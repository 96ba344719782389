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
