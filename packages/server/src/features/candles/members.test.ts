import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { CallerSlots } from '../../platform/caller-slots.ts';
import type { Context } from '../context.ts';
import { aggregateSlots, inTurn } from './members.ts';

const turns = new CallerSlots({ ...aggregateSlots, clock: new ManualClock(0) });
const contextOf = (caller: string): Context =>
  ({ caller, resources: { aggregateTurns: turns } }) as unknown as Context;

let reading = 0;
let most = 0;
async function read(caller: string): Promise<void> {
  await inTurn(contextOf(caller), async () => {
    reading += 1;
    most = Math.max(most, reading);
    await new Promise((resolve) => setImmediate(resolve));
    reading -= 1;
  });
}

it.each([
  ['one address', () => '192.0.2.1', 1],
  ['one network', (i: number) => `192.0.2.${i}`, 2],
  ['many networks', (i: number) => `192.0.${i}.1`, 4],
])(
  'callers of %s read aggregates in turns: each takes tens of megabytes meanwhile',
  async (_, caller, max) => {
    most = 0;
    await Promise.all(Array.from({ length: 40 }, (__, i) => read(caller(i))));
    expect(most).toBe(max);
  },
);

it('frees its turn when it fails, and refuses the 66th read of one address', async () => {
  await expect(inTurn(contextOf('a'), () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  const reads = await Promise.allSettled(Array.from({ length: 66 }, () => read('a')));
  expect(reads.filter(({ status }) => status === 'rejected')).toHaveLength(1);
});
