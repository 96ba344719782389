import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { ManualClock } from '@crosstape/core';
import { afterAll, expect, it } from 'vitest';
import { COMPACT_EVERY_MS, COMPACT_FOR_MS, keepHeapsSmall, withYoungSpace } from './heap-flags.ts';

/** Makes objects that live a little, then says how much room they were given. */
const program = `
  const { getHeapSpaceStatistics } = require('node:v8');
  const kept = [];
  for (let i = 0; i < 400_000; i += 1) kept[i % 20_000] = { i, text: String(i) };
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  require('node:worker_threads').parentPort.postMessage(young.space_size / 2 ** 20);
`;

const start = (maxYoungGenerationSizeMb = 12): Worker =>
  new Worker(program, { eval: true, resourceLimits: { maxYoungGenerationSizeMb } });

async function youngMb(worker: Worker): Promise<number> {
  // It may end before its message is read.
  const ended = once(worker, 'exit');
  const [megabytes] = (await once(worker, 'message')) as [number];
  await ended;
  return megabytes;
}

const clock = new ManualClock(0);

// Other tests of this process have heaps of their own size.
afterAll(() => {
  for (const flag of ['--no-optimize-for-size', '--max-semi-space-size=0']) setFlagsFromString(flag);
});

it('leaves each thread the room for young objects that it was given, whatever the main thread has', async () => {
  setFlagsFromString('--max-semi-space-size=1');
  keepHeapsSmall(clock);
  expect(await youngMb(start(12))).toBeGreaterThan(2);
});

it('compacts heaps now and then, and gives a thread that starts meanwhile room for young objects', async () => {
  keepHeapsSmall(clock);
  const before = await youngMb(start());
  clock.advance(COMPACT_EVERY_MS);
  const small = await youngMb(start());
  const large = await youngMb(withYoungSpace(start, clock));
  const after = await youngMb(start());
  clock.advance(COMPACT_EVERY_MS + COMPACT_FOR_MS);
  const later = await youngMb(start());
  expect(Math.min(before, large, after, later)).toBeGreaterThan(2 * small);
});
