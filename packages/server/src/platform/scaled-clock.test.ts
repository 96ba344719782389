import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { ScaledClock } from './scaled-clock.ts';

function setUp(speed: number) {
  const real = new ManualClock(500_000);
  const clock = new ScaledClock(real, { startMs: 1_000, speed });
  const ran: string[] = [];
  return { real, clock, ran };
}

it('stands still until it is started, with the timers that were set before', () => {
  const { real, clock, ran } = setUp(1);
  clock.after(100, () => ran.push('after'));
  clock.every(60, () => ran.push('every'));
  clock.after(10, () => ran.push('cancelled')).cancel();
  real.advance(1_000);
  expect(clock.now()).toBe(1_000);
  expect(ran).toEqual([]);
  clock.start(1_500);
  expect(clock.now()).toBe(1_500);
  real.advance(99);
  expect(ran).toEqual(['every']);
  real.advance(1);
  expect(ran).toEqual(['every', 'after']);
  expect(clock.now()).toBe(1_600);
});

it('runs at the given multiple of real time, and never calls early', () => {
  const { real, clock } = setUp(10);
  clock.start(0);
  // Not before the time at which it stood.
  expect(clock.now()).toBe(1_000);
  let calledAtMs: number | undefined;
  clock.after(1_005, () => {
    calledAtMs = clock.now();
  });
  real.advance(100);
  expect(clock.now()).toBe(2_000);
  expect(calledAtMs).toBeUndefined();
  real.advance(1);
  expect(calledAtMs).toBe(2_010);
});

it('is started once', () => {
  const { real, clock } = setUp(2);
  clock.start(1_000);
  real.advance(50);
  clock.start(9_000);
  expect(clock.now()).toBe(1_100);
});

it('cancels timers that are running', () => {
  const { real, clock, ran } = setUp(1);
  const before = clock.after(10, () => ran.push('before'));
  clock.start(1_000);
  const after = clock.every(10, () => ran.push('after'));
  before.cancel();
  after.cancel();
  real.advance(100);
  expect(ran).toEqual([]);
});
