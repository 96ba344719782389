import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from './system-clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a delay longer than a timer can hold does not fire at once', () => {
  const run = vi.fn();
  const monthMs = 30 * 24 * 3_600_000;
  systemClock.after(monthMs, run);
  vi.advanceTimersByTime(monthMs - 1);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledOnce();
});

test('a cancelled timer never runs, and a period must be one', () => {
  const run = vi.fn();
  systemClock.after(10, run).cancel();
  systemClock.every(10, run).cancel();
  vi.advanceTimersByTime(100);
  expect(run).not.toHaveBeenCalled();
  expect(() => systemClock.every(0, run)).toThrow(RangeError);
});
