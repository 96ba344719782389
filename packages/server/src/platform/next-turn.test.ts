import { expect, it } from 'vitest';
import { nextTurn } from './next-turn.ts';

const loopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('continues one piece of work in each turn of the event loop', async () => {
  let pieces = 0;
  const work = async (): Promise<void> => {
    for (let i = 0; i < 3; i += 1) {
      await nextTurn();
      pieces += 1;
    }
  };
  const all = Promise.all(Array.from({ length: 50 }, work));
  for (let turns = 1; pieces < 150; turns += 1) {
    await loopTurn();
    expect(pieces).toBeLessThanOrEqual(turns);
  }
  await all;
});

it.each([
  ['callers', () => '2001:db8:1:1::/64'],
  ['networks', (i: number) => `2001:db8:1:${i}::/64`],
])('continues the work of %s in turns, however much one of them has', async (_, greedyCaller) => {
  const order: string[] = [];
  const work = async (caller: string): Promise<void> => {
    for (let i = 0; i < 2; i += 1) {
      await nextTurn(caller);
      order.push(caller);
    }
  };
  const greedy = Array.from({ length: 50 }, (__, i) => work(greedyCaller(i)));
  await work('192.0.2.1');
  expect(order.length).toBeLessThanOrEqual(5);
  await Promise.all(greedy);
});
