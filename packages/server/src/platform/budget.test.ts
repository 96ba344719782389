import { ManualClock, MINUTE_MS } from '@crosstape/core';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Budget } from './budget.ts';
import { runs } from '../../../../test/runs.ts';

const STEP_MS = 1_000;

interface Spent {
  readonly atMs: number;
  readonly weight: number;
}

/** Lets every promise that is already resolved run on. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i += 1) await Promise.resolve();
}

test('no minute, wherever it begins, sees more than the allowance', async () => {
  const ask = fc.record({ weight: fc.integer({ min: 1, max: 40 }), pauseSteps: fc.nat(12) });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 100, max: 1_200 }),
      fc.array(ask, { minLength: 20, maxLength: 80 }),
      async (perMinute, asks) => {
        const clock = new ManualClock(1_000_000);
        const budget = new Budget({ clock, perMinute, weightMax: 40 });
        const spent: Spent[] = [];
        const step = async (): Promise<void> => {
          clock.advance(STEP_MS);
          await settle();
        };
        for (const { weight, pauseSteps } of asks) {
          void budget.take(weight).then(() => spent.push({ atMs: clock.now(), weight }));
          for (let i = 0; i < pauseSteps; i += 1) await step();
        }
        for (let i = 0; i < 4_000 && spent.length < asks.length; i += 1) await step();
        expect(spent.length).toBe(asks.length);
        for (const first of spent) {
          const minute = spent.filter(({ atMs }) => atMs >= first.atMs && atMs < first.atMs + MINUTE_MS);
          expect(minute.reduce((sum, { weight }) => sum + weight, 0)).toBeLessThanOrEqual(perMinute);
        }
      },
    ),
    { numRuns: runs(40) },
  );
});

test('requests are served in order, also when the next one would be lighter', async () => {
  const clock = new ManualClock(0);
  const budget = new Budget({ clock, perMinute: 80, weightMax: 20 });
  const order: string[] = [];
  await budget.take(19);
  void budget.take(15).then(() => order.push('heavy'));
  void budget.take(1).then(() => order.push('light'));
  clock.advance(5_000);
  await settle();
  expect(order).toEqual([]);
  clock.advance(MINUTE_MS);
  await settle();
  expect(order).toEqual(['heavy', 'light']);
});

test('a waiter that gives up spends nothing and lets the next one go', async () => {
  const clock = new ManualClock(0);
  const budget = new Budget({ clock, perMinute: 80, weightMax: 20 });
  await budget.take(19);
  const giveUp = new AbortController();
  const heavy = budget.take(20, giveUp.signal);
  const light = budget.take(1);
  giveUp.abort(new Error('no longer wanted'));
  await expect(heavy).rejects.toThrow('no longer wanted');
  await light;
});

test('a weight that can never be spent is refused at once', async () => {
  const clock = new ManualClock(0);
  expect(() => new Budget({ clock, perMinute: 20, weightMax: 20 })).toThrow('does not fit');
  await expect(new Budget({ clock, perMinute: 40 }).take(11)).rejects.toThrow(RangeError);
  await expect(new Budget({ clock, perMinute: 40 }).take(Number.NaN)).rejects.toThrow(RangeError);
});

test('what may be spent at once can be less than a quarter of the allowance', async () => {
  const clock = new ManualClock(1_000_000);
  const budget = new Budget({ clock, perMinute: 308, atOnce: 8 });
  let spent = 0;
  for (let i = 0; i < 20; i += 1) void budget.take(1).then(() => (spent += 1));
  await settle();
  expect(spent).toBe(8);
  clock.advance(1_000);
  await settle();
  expect(spent).toBe(13);
});

test('what is urgent comes before what has waited longer, and after what is urgent as well', async () => {
  const clock = new ManualClock(1_000_000);
  const budget = new Budget({ clock, perMinute: 60, atOnce: 1 });
  const spent: string[] = [];
  const take = (name: string, isUrgent: boolean): void =>
    void budget.take(1, undefined, isUrgent).then(() => spent.push(name));
  take('at once', false);
  take('book 1', false);
  take('book 2', false);
  take('trades 1', true);
  take('trades 2', true);
  for (let i = 0; i < 10; i += 1) {
    clock.advance(STEP_MS);
    await settle();
  }
  expect(spent).toEqual(['at once', 'trades 1', 'trades 2', 'book 1', 'book 2']);
});
