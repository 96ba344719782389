import { expect, it } from 'vitest';
import { FairQueue } from './fair-queue.ts';

function shiftAll(queue: FairQueue<string>): readonly string[] {
  const items: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
}

it('lets callers take turns, each in its own order', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(item.slice(0, 1), item);
  expect(queue.size).toBe(6);
  expect(shiftAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect(queue.size).toBe(0);
});

it('lets networks take turns, however many callers each has', () => {
  const queue = new FairQueue<string>();
  const greedy = Array.from({ length: 5 }, (_, i) => `2001:db8:1:${i}::/64`);
  for (const caller of [...greedy, ...greedy]) queue.push(caller, caller);
  for (const caller of ['192.0.2.1', '2001:db8:2:1::/64', '192.0.2.1']) queue.push(caller, caller);
  const [one, two, three, four, five] = greedy;
  const order = [one, '192.0.2.1', '2001:db8:2:1::/64', two, '192.0.2.1', three, four, five];
  expect(shiftAll(queue)).toEqual([...order, ...greedy]);
});

it('gives the turn of a network to one of its allowed callers', () => {
  const queue = new FairQueue<string>();
  for (const caller of ['192.0.2.1', '192.0.2.2', '192.0.3.1']) queue.push(caller, caller);
  expect(queue.shift((caller) => caller !== '192.0.2.1')).toBe('192.0.2.2');
  expect(queue.shift()).toBe('192.0.3.1');
  expect(queue.remove('192.0.2.1', '192.0.2.1')).toBe(true);
  expect([queue.size, queue.shift()]).toEqual([0, undefined]);
});

it('puts a caller that comes back behind those that wait', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'b1']) queue.push(item.slice(0, 1), item);
  expect(queue.shift()).toBe('a1');
  queue.push('c', 'c1');
  expect(shiftAll(queue)).toEqual(['b1', 'a2', 'c1']);
});

it('forgets what is removed', () => {
  const queue = new FairQueue<string>();
  queue.push('a', 'a1');
  queue.push('a', 'a2');
  expect(queue.remove('a', 'a1')).toBe(true);
  expect(queue.remove('a', 'a1')).toBe(false);
  expect(queue.sizeOf('a')).toBe(1);
  expect(queue.drain()).toEqual(['a2']);
  expect(queue.size).toBe(0);
});
