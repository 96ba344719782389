import { DAY_MS, ManualClock, MINUTE_MS, SteadyClock } from '@crosstape/core';
import { beforeEach, describe, expect, it, type Mock, vi } from 'vitest';
import type { Log } from '../platform/log.ts';
import { LocalBus } from '../platform/local-bus.ts';
import { clockTopic } from '../topics.ts';
import { trade } from '../features/tape/testing/tape-setting.ts';
import { VenueTime } from './venue-time.ts';

const START_MS = 1_800_000_000_000;

let real: ManualClock;
let wallAheadMs: number;
let clock: SteadyClock;
let bus: LocalBus;
let log: { readonly [Level in keyof Log]: Mock<Log[Level]> };
let venueTime: VenueTime;

beforeEach(() => {
  real = new ManualClock(START_MS);
  wallAheadMs = 0;
  clock = new SteadyClock({
    wallMs: () => real.now() + wallAheadMs,
    monotonicMs: () => real.now(),
    after: (delayMs, call) => real.after(delayMs, call),
    every: (periodMs, call) => real.every(periodMs, call),
  });
  bus = new LocalBus(clock);
  log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  venueTime = new VenueTime({ clock, bus, log });
});

/** Each venue sends a trade a second, dated by its own clock. */
function run(forMs: number, venues: Readonly<Record<string, number>> = { one: 0, two: 0 }): void {
  for (let passedMs = 0; passedMs < forMs; passedMs += 1_000) {
    real.advance(1_000);
    for (const [venue, aheadMs] of Object.entries(venues)) {
      const trades = [trade({ venueTs: real.now() + aheadMs - 50 })];
      venueTime.receive({
        type: 'frame',
        venue,
        feed: 'trades',
        socket: 0,
        frame: { kind: 'trades', trades, isBackfill: false },
        receivedAtMs: clock.now(),
      });
    }
  }
}

const state = () => bus.latest(clockTopic)?.message;

it('lets old rows go by the venues’ time, once the clock has agreed with them for five minutes', () => {
  expect(venueTime.keptFromMs(DAY_MS)).toBeUndefined();
  run(4 * MINUTE_MS);
  expect(venueTime.keptFromMs(DAY_MS)).toBeUndefined();
  run(2 * MINUTE_MS);
  expect(venueTime.keptFromMs(DAY_MS)).toBe(real.now() - 50 - DAY_MS);
  expect(state()).toEqual({ skewMs: 50, stepMs: 0, isWrong: false });
});

describe.each([8 * DAY_MS, -30 * MINUTE_MS])('a clock that is set by %i ms', (byMs) => {
  it('removes nothing, is reported within 10 s, and runs on without the step', () => {
    run(6 * MINUTE_MS);
    wallAheadMs = byMs;
    expect(clock.now()).toBe(real.now());
    run(10_000);
    expect(state()).toEqual({ skewMs: byMs + 50, stepMs: byMs, isWrong: true });
    expect(log.error).toHaveBeenCalledOnce();
    for (let minute = 0; minute < 60; minute += 1) {
      run(MINUTE_MS);
      expect(venueTime.keptFromMs(DAY_MS)).toBeUndefined();
      expect(clock.now()).toBe(real.now());
    }
    wallAheadMs = 0;
    run(10_000);
    expect(state()?.isWrong).toBe(false);
    expect(venueTime.keptFromMs(DAY_MS)).toBeUndefined();
    run(6 * MINUTE_MS);
    expect(venueTime.keptFromMs(DAY_MS)).toBe(real.now() - 50 - DAY_MS);
  });
});

it('follows a step that the venues confirm: the machine was suspended', () => {
  run(MINUTE_MS);
  wallAheadMs = DAY_MS;
  run(10_000, { one: DAY_MS, two: DAY_MS });
  expect(clock.now()).toBe(real.now() + DAY_MS);
  expect(state()?.isWrong).toBe(false);
});

it('a single venue with a wrong clock, or one wrong frame, decides nothing', () => {
  run(6 * MINUTE_MS, { one: 0, two: DAY_MS });
  expect(state()?.isWrong).toBe(false);
  expect(venueTime.nowMs()).toBe(real.now());
  run(1_000, { one: -DAY_MS });
  expect(venueTime.keptFromMs(DAY_MS)).toBeUndefined();
  run(10_000);
  expect(venueTime.keptFromMs(DAY_MS)).toBeDefined();
});

it('goes by the venues’ time where the clock was behind from the start', () => {
  run(10_000, { one: 30 * MINUTE_MS, two: 30 * MINUTE_MS });
  expect(venueTime.nowMs()).toBe(real.now() + 30 * MINUTE_MS - 50);
  expect(state()).toMatchObject({ isWrong: true, skewMs: -30 * MINUTE_MS + 50 });
});

it('removes nothing while no venue can be reached', () => {
  run(6 * MINUTE_MS);
  real.advance(2 * MINUTE_MS);
  expect(venueTime.keptFromMs(DAY_MS)).toBeUndefined();
});
