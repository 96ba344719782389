import { afterEach, expect, test } from 'vitest';
import type { JobRunner, Task } from './jobs.ts';
import { countTask } from './testing/sample-worker.ts';
import { startThreadJobs } from './thread-jobs.ts';

const double: Task<number, { value: number; isMainThread: boolean }> = { name: 'double' };
const byteLength: Task<Uint8Array, number> = { name: 'byteLength' };
const fail: Task<string, never> = { name: 'fail' };
const spin: Task<null, never> = { name: 'spin' };
const entry = new URL('./testing/sample-worker.ts', import.meta.url);

let jobs: JobRunner;
afterEach(() => jobs.stop());

test('a job runs on another thread, from the sources too', async () => {
  jobs = startThreadJobs({ entry });
  expect(await jobs.run(double, 21)).toEqual({ value: 42, isMainThread: false });
});

test('a buffer is handed over, not copied', async () => {
  jobs = startThreadJobs({ entry });
  const bytes = new Uint8Array(5_000_000);
  expect(await jobs.run(byteLength, bytes, { transfer: [bytes.buffer] })).toBe(5_000_000);
  expect(bytes.byteLength).toBe(0);
});

test('a job that fails rejects with its own message, and the next one runs', async () => {
  jobs = startThreadJobs({ entry });
  await expect(jobs.run(fail, 'no such coin')).rejects.toThrow('no such coin');
  expect((await jobs.run(double, 1)).value).toBe(2);
});

test('an endless job ends when it is given up, and the next one runs', async () => {
  jobs = startThreadJobs({ entry, threadsMax: 1 });
  const giveUp = new AbortController();
  const endless = jobs.run(spin, null, { signal: giveUp.signal });
  giveUp.abort();
  await expect(endless).rejects.toThrow(/abort/i);
  expect((await jobs.run(double, 4)).value).toBe(8);
});

test('a full queue is told as overload, with when to come again', async () => {
  jobs = startThreadJobs({ entry, threadsMax: 1, queueMax: 1 });
  const results = await Promise.allSettled(Array.from({ length: 8 }, (_, i) => jobs.run(double, i)));
  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  const told = { name: 'Failure', code: 'overloaded', details: { retryAfterSeconds: 5 } };
  for (const { reason } of refused) expect(reason).toMatchObject(told);
});

test('a job tells how far it is, in order, before it ends', async () => {
  jobs = startThreadJobs({ entry, isBackground: true });
  const told: number[] = [];
  const result = await jobs.run(countTask, 5, { onProgress: (progress) => told.push(progress) });
  expect(result).toBe(10);
  expect(told).toEqual([1, 2, 3, 4, 5]);
});
