import { type Clock, ManualClock } from '@crosstape/core';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { ANONYMOUS_QUOTA, Quota } from './quota.ts';

it('counts down within a window that starts with the first request', () => {
  const clock = new ManualClock(1_000);
  const quota = new Quota(clock);
  expect(quota.take('a')).toEqual({ remaining: 59, resetSeconds: 60, isOver: false });
  clock.advance(17_500);
  expect(quota.take('a')).toEqual({ remaining: 58, resetSeconds: 43, isOver: false });
  expect(quota.take('b')).toEqual({ remaining: 59, resetSeconds: 60, isOver: false });
});

it('is over with the request after the last, until the window ends', () => {
  const clock = new ManualClock(0);
  const quota = new Quota(clock);
  for (let i = 0; i < ANONYMOUS_QUOTA; i += 1) expect(quota.take('a').isOver).toBe(false);
  expect(quota.take('a')).toEqual({ remaining: 0, resetSeconds: 60, isOver: true });
  clock.advance(59_999);
  expect(quota.take('a')).toEqual({ remaining: 0, resetSeconds: 1, isOver: true });
  clock.advance(1);
  expect(quota.take('a')).toEqual({ remaining: 59, resetSeconds: 60, isOver: false });
});

it('takes the limit of the caller', () => {
  const quota = new Quota(new ManualClock(0));
  expect(quota.take('key', 300).remaining).toBe(299);
});

it('forgets ended windows, and the one that ends first when there are too many callers', () => {
  const clock = new ManualClock(0);
  const quota = new Quota(clock, { callersMax: 3 });
  for (const caller of ['a', 'b', 'c', 'c', 'd']) {
    quota.take(caller);
    clock.advance(1);
  }
  expect(quota.callers).toBe(3);
  expect(quota.take('c').remaining).toBe(57);
  expect(quota.take('a').remaining).toBe(59);
  clock.advance(60_000);
  quota.take('e');
  expect(quota.callers).toBe(1);
});

it('never lets more than the quota through in a window, whatever the order of requests', () => {
  const step = fc.record({ caller: fc.constantFrom('a', 'b', 'c'), waitMs: fc.nat(4_000) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const clock = new ManualClock(0);
      const quota = new Quota(clock);
      const windows = new Map<string, { startMs: number; passed: number }>();
      for (const { caller, waitMs } of steps) {
        clock.advance(waitMs);
        const known = windows.get(caller);
        const window =
          known && clock.now() - known.startMs < 60_000 ? known : { startMs: clock.now(), passed: 0 };
        windows.set(caller, window);
        if (!quota.take(caller, 5).isOver) window.passed += 1;
        expect(window.passed).toBeLessThanOrEqual(5);
      }
    }),
  );
});

it('opens a new window when the clock was set back behind the beginning of the old one', () => {
  let nowMs = 3_600_000;
  const clock: Clock = Object.assign(new ManualClock(0), { now: () => nowMs });
  const quota = new Quota(clock);
  for (let i = 0; i <= ANONYMOUS_QUOTA; i += 1) quota.take('a');
  quota.take('b');
  nowMs = 0;
  expect(quota.take('a')).toEqual({ remaining: 59, resetSeconds: 60, isOver: false });
  expect(quota.callers).toBe(1);
});

it('takes back what could not be sent, but not into the next window', () => {
  const clock = new ManualClock(0);
  const quota = new Quota(clock);
  quota.keepUnsent();
  for (let i = 0; i < 5; i += 1) quota.take('a');
  const [unsent] = quota.drain();
  quota.takeBack(unsent!);
  const [again] = quota.drain();
  expect(again).toEqual(unsent);
  clock.advance(60_000);
  quota.take('a');
  quota.takeBack(again!);
  expect(quota.drain()).toMatchObject([{ caller: 'a', taken: 1 }]);
});
