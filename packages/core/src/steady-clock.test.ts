import { beforeEach, expect, test } from 'vitest';
import { DAY_MS } from './durations.ts';
import { ManualClock } from './manual-clock.ts';
import { onClockSetBack, onClockStep, SteadyClock } from './steady-clock.ts';

const START_MS = 1_800_000_000_000;

let monotonic: ManualClock;
let aheadMs: number;
let clock: SteadyClock;

beforeEach(() => {
  monotonic = new ManualClock(5_000);
  aheadMs = START_MS;
  clock = new SteadyClock({
    wallMs: () => monotonic.now() + aheadMs,
    monotonicMs: () => monotonic.now(),
    after: (delayMs, run) => monotonic.after(delayMs, run),
    every: (periodMs, run) => monotonic.every(periodMs, run),
  });
});

test('follows the time of day and its small corrections, forward and back', () => {
  const startMs = clock.now();
  monotonic.advance(1_000);
  expect(clock.now()).toBe(startMs + 1_000);
  aheadMs += 59_000;
  expect(clock.now()).toBe(startMs + 60_000);
  aheadMs -= 59_000;
  expect(clock.now()).toBe(startMs + 1_000);
  expect(clock.stepMs).toBe(0);
});

test.each([8 * DAY_MS, -30 * 60_000])(
  'runs on without a step of %i ms, and is right after it is undone',
  (byMs) => {
    const startMs = clock.now();
    aheadMs += byMs;
    for (let minute = 1; minute <= 9; minute += 1) {
      monotonic.advance(60_000);
      expect(clock.now()).toBe(startMs + minute * 60_000);
      expect(clock.stepMs).toBe(byMs);
    }
    aheadMs -= byMs;
    expect(clock.stepMs).toBe(0);
    expect(clock.now()).toBe(startMs + 9 * 60_000);
  },
);

test('follows a step that is confirmed at once, and one that nothing contradicts after a quarter of an hour', () => {
  const startMs = clock.now();
  aheadMs += DAY_MS;
  clock.follow();
  expect(clock.now()).toBe(startMs + DAY_MS);
  aheadMs += DAY_MS;
  clock.now();
  monotonic.advance(14 * 60_000);
  clock.hold();
  monotonic.advance(14 * 60_000);
  expect(clock.stepMs).toBe(DAY_MS);
  expect(clock.now()).toBe(startMs + DAY_MS + 28 * 60_000);
  monotonic.advance(60_000);
  expect(clock.now()).toBe(startMs + 2 * DAY_MS + 29 * 60_000);
});

test('reports each step that is followed, from when it was first seen, and none that is undone', () => {
  const startMs = clock.now();
  const steps: (readonly [number, number])[] = [];
  const reports = onClockStep(clock, (fromMs, toMs) => steps.push([fromMs, toMs]));
  aheadMs += DAY_MS;
  clock.now();
  monotonic.advance(20_000);
  clock.hold();
  monotonic.advance(10_000);
  clock.follow();
  expect(steps).toEqual([[startMs, startMs + DAY_MS + 30_000]]);
  aheadMs += DAY_MS;
  clock.now();
  aheadMs -= DAY_MS;
  clock.now();
  monotonic.advance(16 * 60_000);
  aheadMs += DAY_MS;
  const secondMs = clock.now();
  monotonic.advance(15 * 60_000);
  const nowMs = clock.now();
  expect(steps.slice(1)).toEqual([[secondMs, nowMs]]);
  expect(nowMs).toBe(secondMs + DAY_MS + 15 * 60_000);
  reports.cancel();
  aheadMs += DAY_MS;
  clock.follow();
  expect(steps).toHaveLength(2);
});

test.each([
  [-10, 1],
  [10, 0],
])(
  'a step of %i minutes that is followed after a quarter of an hour sets the clock back %i times',
  (minutes, times) => {
    let setBack = 0;
    onClockSetBack(clock, () => (setBack += 1));
    clock.now();
    aheadMs += minutes * 60_000;
    clock.now();
    monotonic.advance(16 * 60_000);
    clock.now();
    expect(setBack).toBe(times);
  },
);
