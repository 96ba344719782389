import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, it } from 'vitest';
import { keepHeapsSmall, withYoungSpace } from './heap-flags.ts';

/** Makes objects that live a little, then says how much room they were given. */
const program = `
  const { getHeapSpaceStatistics } = require('node:v8');
  const kept = [];
  for (let i = 0; i < 400_000; i += 1) kept[i % 20_000] = { i, text: String(i) };
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  require('node:worker_threads').parentPort.postMessage(young.space_size / 2 ** 20);
`;

const start = (): Worker =>
  new Worker(program, { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 12 } });

async function youngMb(worker: Worker): Promise<number> {
  // It may end before its message is read.
  const ended = once(worker, 'exit');
  const [megabytes] = (await once(worker, 'message')) as [number];
  await ended;
  return megabytes;
}

// Other tests of this process have heaps of their own size.
afterAll(() => {
  for (const flag of ['--no-optimize-for-size', '--max-semi-space-size=0']) setFlagsFromString(flag);
});

it('gives a thread room for young objects that others under the same flags do not have', async () => {
  keepHeapsSmall();
  const [before, large, after] = [
    await youngMb(start()),
    await youngMb(withYoungSpace(start)),
    await youngMb(start()),
  ];
  expect(large).toBeGreaterThan(2 * Math.max(before, after));
});
