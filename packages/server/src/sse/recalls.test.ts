import { ManualClock } from '@crosstape/core';
import { expect, test } from 'vitest';
import { RecallTurns } from './recalls.ts';

const AT_A_TIME = 16;

async function fill(turns: RecallTurns): Promise<(() => void)[]> {
  const taken = await Promise.all(Array.from({ length: AT_A_TIME }, () => turns.take('hog')));
  return taken.map((end) => end ?? expect.fail('no turn'));
}

test('a further resume waits for a turn, and a caller with many of them delays another by one', async () => {
  const turns = new RecallTurns(new ManualClock(0));
  const [first, second] = await fill(turns);
  const order: string[] = [];
  const wait = (caller: string): void => void turns.take(caller).then(() => order.push(caller));
  for (const caller of ['hog', 'hog', 'other']) wait(caller);
  first?.();
  first?.();
  await Promise.resolve();
  await Promise.resolve();
  expect(order).toEqual(['hog']);
  second?.();
  await expect.poll(() => order).toEqual(['hog', 'other']);
});

test('one that waits for a minute gets no turn, and takes none from others', async () => {
  const clock = new ManualClock(0);
  const turns = new RecallTurns(clock);
  const [first] = await fill(turns);
  const late = turns.take('late');
  clock.advance(60_000);
  expect(await late).toBeUndefined();
  const next = turns.take('next');
  first?.();
  expect(await next).toBeInstanceOf(Function);
});
