import { ManualClock } from '@crosstape/core';
import { expect, it, vi } from 'vitest';
import { afterRunning } from './running-time.ts';

/** A clock whose timers all end late, as those of a busy process do. */
function lateClock(lateMs: number): ManualClock {
  const clock = new ManualClock(0);
  const after = clock.after.bind(clock);
  clock.after = (delayMs, run) => after(delayMs + lateMs, run);
  return clock;
}

it('calls after the limit while nothing is late', () => {
  const clock = new ManualClock(0);
  const run = vi.fn();
  afterRunning(clock, 2_500, run);
  clock.advance(2_499);
  expect(run).not.toHaveBeenCalled();
  clock.advance(1);
  expect(run).toHaveBeenCalledOnce();
  clock.advance(10_000);
  expect(run).toHaveBeenCalledOnce();
});

it('does not count time when the process did not run, up to three times the limit', () => {
  const slow = lateClock(500);
  const run = vi.fn();
  afterRunning(slow, 10_000, run);
  slow.advance(14_999);
  expect(run).not.toHaveBeenCalled();
  slow.advance(1);
  expect(run).toHaveBeenCalledOnce();

  const stuck = lateClock(5_000);
  const late = vi.fn();
  afterRunning(stuck, 10_000, late);
  stuck.advance(29_999);
  expect(late).not.toHaveBeenCalled();
  stuck.advance(1);
  expect(late).toHaveBeenCalledOnce();
});

it('is never called once cancelled', () => {
  const clock = new ManualClock(0);
  const run = vi.fn();
  const timer = afterRunning(clock, 3_000, run);
  clock.advance(1_500);
  timer.cancel();
  clock.advance(10_000);
  expect(run).not.toHaveBeenCalled();
});
