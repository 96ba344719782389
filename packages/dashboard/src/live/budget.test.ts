import { ManualClock } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { Budget, budgetedFetch } from './budget.ts';

const WINDOW_MS = 60_000;

async function settle(turns = 2_000): Promise<void> {
  for (let i = 0; i < turns; i += 1) await Promise.resolve();
}

describe('the budget', () => {
  it('lets no more than 45 calls through in any minute, and none is lost', async () => {
    const clock = new ManualClock(0);
    const budget = new Budget(clock);
    const calledMs: number[] = [];
    for (let i = 0; i < 150; i += 1) void budget.take().then(() => calledMs.push(clock.now()));
    for (let i = 0; i < 100; i += 1) {
      await settle();
      clock.advance(2_500);
    }
    expect(calledMs).toHaveLength(150);
    for (const fromMs of calledMs) {
      const within = calledMs.filter((ms) => ms >= fromMs && ms < fromMs + WINDOW_MS);
      expect(within.length).toBeLessThanOrEqual(45);
    }
  });

  it('reports to every waiting call until when it waits', async () => {
    const clock = new ManualClock(1_000);
    const budget = new Budget(clock);
    const shown: string[] = [];
    const call = (name: string): Promise<void> =>
      budget.take(undefined, (untilMs) => shown.push(`${name} ${untilMs}`));
    for (let i = 0; i < 45; i += 1) await call('early');
    expect(shown).toEqual([]);
    const waiting = [call('first')];
    await settle();
    waiting.push(call('second'));
    await settle();
    expect(shown).toEqual(['first 61000', 'second 61000']);
    clock.advance(WINDOW_MS);
    await Promise.all(waiting);
    await call('late');
    expect(shown).toHaveLength(2);
  });

  it('calls a request limited whose time is over before its turn', async () => {
    const clock = new ManualClock(0);
    const budget = new Budget(clock, 1 / 60);
    await budget.take();
    const ending = new AbortController();
    const asked = budgetedFetch(budget, 'http://service')('http://service/api/v1/points', {
      signal: ending.signal,
    });
    await settle();
    clock.advance(30_000);
    ending.abort(new Error('http://service did not answer within 30000 ms.'));
    await expect(asked).rejects.toMatchObject({ status: 429, message: expect.stringContaining('browser') });
  });

  it('does not wait where the service enforces no quota, and keeps a share of one that it does', async () => {
    const clock = new ManualClock(0);
    const budget = new Budget(clock);
    const learn = (policy: string | undefined, status = 200, more = {}): void =>
      budget.learn({
        status,
        headers: new Headers({ ...(policy && { 'RateLimit-Policy': policy }), ...more }),
      });
    const callNow = async (calls: number): Promise<number> => {
      let made = 0;
      const ending = new AbortController();
      const all = Array.from({ length: calls }, () => budget.take(ending.signal).then(() => (made += 1)));
      await settle(20_000);
      ending.abort();
      await Promise.allSettled(all);
      clock.advance(WINDOW_MS);
      return made;
    };
    const anonymous = '"default";q=60;w=60';
    expect(await callNow(700)).toBe(45);
    learn(anonymous, 200, { 'RateLimit-Enforced': '?0' });
    expect(await callNow(700)).toBe(600);
    learn('"default";q=300;w=60');
    expect(await callNow(700)).toBe(225);
    learn(undefined);
    expect(await callNow(700)).toBe(600);
    learn(undefined, 429);
    expect(await callNow(700)).toBe(45);

    // A call that waits is made at once.
    for (let i = 0; i < 45; i += 1) await budget.take();
    const waiting = budget.take();
    await settle();
    learn(undefined);
    await waiting;
  });

  it('gives the place of who gives up to the next', async () => {
    const clock = new ManualClock(0);
    const budget = new Budget(clock);
    for (let i = 0; i < 45; i += 1) await budget.take();
    const ending = new AbortController();
    const given = budget.take(ending.signal).catch((error: unknown) => error);
    let isNext = false;
    const next = budget.take().then(() => {
      isNext = true;
      return true;
    });
    await settle();
    ending.abort(new Error('enough'));
    expect(await given).toMatchObject({ message: 'enough' });
    expect(isNext).toBe(false);
    clock.advance(WINDOW_MS);
    expect(await next).toBe(true);
  });
});
