import { type Clock, ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { Pace } from './pace.ts';

it('runs at once, and then no more often than it may', () => {
  const clock = new ManualClock(1_000);
  const ran: number[] = [];
  const pace = new Pace(clock, 250, () => ran.push(clock.now()));
  for (let i = 0; i < 10; i += 1) {
    pace.ask();
    clock.advance(100);
  }
  expect(ran).toEqual([1_000, 1_250, 1_500, 1_750, 2_000]);
});

it('waits no longer when the clock was set back', () => {
  const clock = new ManualClock(1_000_000);
  let setBackMs = 0;
  const seen: Clock = {
    now: () => clock.now() - setBackMs,
    after: (ms, run) => clock.after(ms, run),
    every: (ms, run) => clock.every(ms, run),
  };
  let runs = 0;
  const pace = new Pace(seen, 250, () => (runs += 1));
  pace.ask();
  setBackMs = 60_000;
  pace.ask();
  clock.advance(250);
  expect(runs).toBe(2);
});
