import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ManualClock } from './manual-clock.ts';

it('runs what falls due in order of time, then of the request, without what was cancelled', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ delayMs: fc.nat(50), isCancelled: fc.boolean() }), { maxLength: 60 }),
      fc.array(fc.nat(20), { maxLength: 8 }),
      (timers, steps) => {
        const clock = new ManualClock(1_000);
        const ran: (readonly [number, number])[] = [];
        const handles = timers.map(({ delayMs }, i) =>
          clock.after(delayMs, () => ran.push([clock.now(), i])),
        );
        for (const [i, { isCancelled }] of timers.entries()) if (isCancelled) handles[i]?.cancel();
        for (const step of steps) clock.advance(step);
        const untilMs = 1_000 + steps.reduce((sum, step) => sum + step, 0);
        const due = timers
          .map(({ delayMs, isCancelled }, i) => ({ dueMs: 1_000 + delayMs, isCancelled, i }))
          .filter(({ dueMs, isCancelled }) => steps.length > 0 && !isCancelled && dueMs <= untilMs)
          .toSorted((a, b) => a.dueMs - b.dueMs || a.i - b.i);
        expect(ran).toEqual(due.map(({ dueMs, i }) => [dueMs, i]));
        expect(clock.now()).toBe(untilMs);
      },
    ),
  );
});

it('repeats a timer until it is cancelled, also by itself', () => {
  const clock = new ManualClock(0);
  const ran: number[] = [];
  const timer = clock.every(10, () => {
    ran.push(clock.now());
    if (ran.length === 3) timer.cancel();
  });
  clock.advance(100);
  expect(ran).toEqual([10, 20, 30]);
  expect(() => clock.every(0, () => undefined)).toThrow('longer than 0 ms');
});
