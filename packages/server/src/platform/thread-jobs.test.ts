import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Failure } from './errors.ts';
import type { JobRunner, Task } from './jobs.ts';
import { bundledEntry } from './testing/bundled-entry.ts';
import type { CountTask, SpinTask } from './testing/sample-worker.ts';
import { startThreadJobs } from './thread-jobs.ts';

const double: Task<number, { value: number; isMainThread: boolean; thread: number }> = { name: 'double' };
const byteLength: Task<Uint8Array, number> = { name: 'byteLength' };
const count: CountTask = { name: 'count' };
const spin: SpinTask = { name: 'spin' };
const die: Task<number, never> = { name: 'die' };
const fail: Task<string, never> = { name: 'fail' };
const source = new URL('./testing/sample-worker.ts', import.meta.url);
const entry = bundledEntry(source);
const slowEntry = bundledEntry(new URL('./testing/slow-worker.ts', import.meta.url));

let jobs: JobRunner;
afterEach(async () => {
  vi.unstubAllEnvs();
  await jobs.stop();
});

test('a job runs on another thread, from the sources too', async () => {
  jobs = startThreadJobs({ entry: source });
  expect(await jobs.run(double, 21)).toMatchObject({ value: 42, isMainThread: false });
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

test('an expected failure stays one', async () => {
  jobs = startThreadJobs({ entry });
  const failed = await jobs.run({ name: 'beAway' }, 'no answer').catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(Failure);
  const details = { retryAfterSeconds: 7 };
  expect(failed).toMatchObject({ code: 'upstream_unavailable', message: 'no answer', details });
});

test('an uncloneable result is reported as text, and the thread continues', async () => {
  jobs = startThreadJobs({ entry, threadsMax: 1 });
  const { thread } = await jobs.run(double, 1);
  await expect(jobs.run({ name: 'failOddly' }, 'no such coin')).rejects.toThrow('no such coin');
  await expect(jobs.run({ name: 'giveOddly' }, 0)).rejects.toThrow('could not be cloned');
  expect((await jobs.run(double, 1)).thread).toBe(thread);
});

describe('a job that is given up', () => {
  test('ends where it looks, and its thread takes the next one', async () => {
    jobs = startThreadJobs({ entry, threadsMax: 1 });
    const { thread } = await jobs.run(double, 1);
    await expect(givenUp({ isDeaf: false })).rejects.toThrow(/abort/i);
    expect(await jobs.run(double, 4)).toMatchObject({ value: 8, thread });
  });

  test('ends with its thread when it does not look for long', async () => {
    jobs = startThreadJobs({ entry, threadsMax: 1, graceMs: 1 });
    const { thread } = await jobs.run(double, 1);
    await expect(givenUp({ isDeaf: true })).rejects.toThrow(/abort/i);
    const next = await jobs.run(double, 4);
    expect(next.value).toBe(8);
    expect(next.thread).not.toBe(thread);
  });

  test('ends when all do', async () => {
    jobs = startThreadJobs({ entry, threadsMax: 1 });
    let isRunning = false;
    const onProgress = (): void => {
      isRunning = true;
    };
    const endless = jobs.run(spin, { isDeaf: false }, { onProgress });
    const waiting = jobs.run(double, 1);
    await vi.waitUntil(() => isRunning, { timeout: 10_000 });
    const ends = Promise.allSettled([endless, waiting, jobs.run(double, 2)]);
    await jobs.stop();
    const message = 'job double was abandoned';
    expect(await ends).toMatchObject([
      { reason: { message: 'job spin was abandoned' } },
      { reason: { message } },
      { reason: { message } },
    ]);
    await expect(jobs.run(double, 3)).rejects.toThrow(message);
  });

  function givenUp(payload: { readonly isDeaf: boolean }): Promise<never> {
    const giveUp = new AbortController();
    return jobs.run(spin, payload, { signal: giveUp.signal, onProgress: () => giveUp.abort() });
  }
});

test('a job given up before a thread is there never runs, and the next one does', async () => {
  jobs = startThreadJobs({ entry, threadsMax: 1 });
  const giveUp = new AbortController();
  const early = jobs.run(double, 1, { signal: giveUp.signal });
  giveUp.abort();
  await expect(early).rejects.toThrow(/abort/i);
  expect((await jobs.run(double, 4)).value).toBe(8);
});

test('a thread is not ended while it loads', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosstape-threads-'));
  vi.stubEnv('SLOW_WORKER_FOLDER', folder);
  jobs = startThreadJobs({ entry: slowEntry });
  const run = jobs.run(double, 1).catch(() => undefined);
  await vi.waitUntil(() => existsSync(join(folder, 'begun')), { timeout: 10_000 });
  const stopped = jobs.stop();
  writeFileSync(join(folder, 'go'), '');
  await Promise.all([stopped, run]);
  expect(existsSync(join(folder, 'done'))).toBe(true);
  rmSync(folder, { recursive: true });
});

test('a thread that dies fails only its own job', async () => {
  jobs = startThreadJobs({ entry, threadsMax: 1 });
  const dying = jobs.run(die, 3);
  const waiting = jobs.run(double, 4);
  await expect(dying).rejects.toThrow('a thread ended with code 3');
  expect((await waiting).value).toBe(8);
});

test('a payload that cannot cross over is refused, and the next one runs', async () => {
  jobs = startThreadJobs({ entry, threadsMax: 1 });
  await expect(jobs.run({ name: 'double' }, () => {})).rejects.toThrow('could not be cloned');
  expect((await jobs.run(double, 4)).value).toBe(8);
});

test('a full queue is reported as overload, with a retry time', async () => {
  jobs = startThreadJobs({ entry, threadsMax: 1, queueMax: 1 });
  const results = await Promise.allSettled(Array.from({ length: 8 }, (_, i) => jobs.run(double, i)));
  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  const reported = { name: 'Failure', code: 'overloaded', details: { retryAfterSeconds: 5 } };
  for (const { reason } of refused) expect(reason).toMatchObject(reported);
});

test('callers take turns, and one caller fills a quarter of the queue at most', async () => {
  jobs = startThreadJobs({ entry, threadsMax: 1, queueMax: 32 });
  const order: string[] = [];
  const run = async (caller: string): Promise<void> => {
    await jobs.run(double, 1, { caller });
    order.push(caller);
  };
  const many = Promise.allSettled(Array.from({ length: 40 }, () => run('greedy')));
  await run('modest');
  const results = await many;
  // One runs and eight wait.
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
  expect(order.indexOf('modest')).toBeLessThanOrEqual(2);
});

test('callers of one network fill half of the queue at most', async () => {
  jobs = startThreadJobs({ entry, threadsMax: 1, queueMax: 32 });
  const network = Promise.allSettled(
    Array.from({ length: 40 }, (_, i) => jobs.run(double, 1, { caller: `2001:db8:1:${i % 10}::/64` })),
  );
  await jobs.run(double, 1, { caller: '2001:db8:2:1::/64' });
  // One runs and sixteen wait.
  expect((await network).filter(({ status }) => status === 'fulfilled')).toHaveLength(17);
  await jobs.run(double, 1, { caller: '2001:db8:1:1::/64' });
});

test('a job reports its progress, in order, before it ends', async () => {
  jobs = startThreadJobs({ entry, isBackground: true });
  const reported: number[] = [];
  const result = await jobs.run(count, 5, { onProgress: (progress) => reported.push(progress) });
  expect(result).toBe(10);
  expect(reported).toEqual([1, 2, 3, 4, 5]);
});
