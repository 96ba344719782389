import { TickMarkType } from 'lightweight-charts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { axisTime, tickText } from './bar-axis.ts';

const NOON = Date.UTC(2026, 10, 16, 12);

afterEach(() => vi.restoreAllMocks());

describe('the time axis of bars', () => {
  it('places bars at their true time, and one after the other where they share it', () => {
    const first = axisTime(NOON, 'UTC');
    const second = axisTime(NOON, 'UTC', first);
    expect(first).toBe(NOON / 1_000);
    expect(second).toBeGreaterThan(first);
    expect(axisTime(NOON + 1, 'UTC', second)).toBe((NOON + 1) / 1_000);
  });

  it('names the day where one begins, and the time elsewhere', () => {
    expect(tickText(NOON, TickMarkType.DayOfMonth, 'UTC')).toBe('16 Nov');
    expect(tickText(NOON, TickMarkType.Time, 'UTC')).toBe('12:00');
    expect(tickText(NOON, TickMarkType.TimeWithSeconds, 'UTC')).toBe('12:00:00');
    expect(tickText(NOON, TickMarkType.Year, 'UTC')).toBe('2026');
  });

  it('places bars where the library, which labels hours of UTC, shows those of the chosen zone', () => {
    vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(-540);
    expect(axisTime(NOON, 'local') - axisTime(NOON, 'UTC')).toBe(9 * 3_600);
  });
});
