import { ManualClock } from '@crosstape/core';
import { afterEach, expect, it } from 'vitest';
import { UnreadBudget } from './unread-budget.ts';

const clock = new ManualClock(0);
const budget = new UnreadBudget({ clock, bytesMax: 1_000 });
const cut: string[] = [];
const sizes = new Map<string, number>();
budget.add(() => [...sizes].map(([name, bytes]) => ({ bytes, cut: () => drop(name) })));

function drop(name: string): void {
  cut.push(name);
  sizes.delete(name);
}

afterEach(() => {
  cut.length = 0;
  sizes.clear();
});

it('cuts off no client within the budget', () => {
  sizes.set('a', 600).set('b', 400);
  clock.advance(1_000);
  expect(cut).toEqual([]);
  expect(budget.bytes).toBe(1_000);
});

it('cuts off those with the most unread bytes first, until three quarters are left', () => {
  sizes.set('small', 100).set('large', 500).set('middle', 450);
  clock.advance(1_000);
  expect(cut).toEqual(['large']);
  expect(budget.bytes).toBe(550);
  expect(budget.cut).toBe(1);
});

it('counts bytes that are held, until they are released', () => {
  const release = budget.hold({ bytes: 900, cut: () => drop('held') });
  sizes.set('a', 200);
  clock.advance(1_000);
  expect(cut).toEqual(['held']);
  release();
  expect(budget.bytes).toBe(200);
});

it('counts bytes that clients share once, until the last one has them', () => {
  const memory = new Uint8Array(900);
  const releases = ['one', 'two'].map((name) => budget.share(memory, () => drop(name)));
  expect(budget.bytes).toBe(900);
  sizes.set('a', 200);
  clock.advance(1_000);
  expect(cut).toEqual(['one', 'two']);
  releases[0]?.();
  releases[0]?.();
  expect(budget.bytes).toBe(1_100);
  releases[1]?.();
  expect(budget.bytes).toBe(200);
});

it('cuts off connections of the caller with the most unread bytes, however small each is', () => {
  const greedy = { remoteAddress: '192.0.2.1' };
  const releases = Array.from({ length: 30 }, (_, i) =>
    budget.hold({ bytes: 25, socket: greedy, cut: () => drop(`greedy ${i}`) }),
  );
  const other = budget.hold({ bytes: 300, socket: { remoteAddress: '192.0.2.2' }, cut: () => drop('other') });
  clock.advance(1_000);
  expect(cut).toHaveLength(12);
  expect(cut).not.toContain('other');
  for (const release of [...releases, other]) release();
});

it('counts each peer behind a proxy on its own', () => {
  const proxied = new UnreadBudget({ clock, bytesMax: 1_000, trustProxy: 1 });
  const socket = { remoteAddress: '192.0.2.1' };
  for (let i = 0; i < 30; i += 1) proxied.hold({ bytes: 25, socket, cut: () => drop(`small ${i}`) });
  proxied.hold({ bytes: 300, socket, cut: () => drop('large') });
  clock.advance(1_000);
  expect(cut).toEqual(['large']);
  proxied.stop();
});
