import { isMainThread, threadId } from 'node:worker_threads';
import { Failure } from '../errors.ts';
import type { Task, TaskFunction } from '../jobs.ts';
import { serveTasks, throwIfGivenUp } from '../thread-tasks.ts';

export type CountTask = Task<number, number, number>;
export type SpinTask = Task<{ readonly isDeaf: boolean }, never, 'running'>;

/** Reports every number up to `length`, and returns twice as much. */
const count: TaskFunction<CountTask> = (length, report) => {
  for (let i = 1; i <= length; i += 1) report(i);
  return length * 2;
};

/** Reports that it runs, then loops until it is given up, or forever. */
const spin: TaskFunction<SpinTask> = ({ isDeaf }, report) => {
  report('running');
  for (;;) if (!isDeaf) throwIfGivenUp();
};

function double(value: number): { value: number; isMainThread: boolean; thread: number } {
  return { value: value * 2, isMainThread, thread: threadId };
}

function byteLength(bytes: Uint8Array): number {
  return bytes.byteLength;
}

function fail(message: string): never {
  throw new Error(message);
}

function beAway(message: string): never {
  throw new Failure('upstream_unavailable', message, { retryAfterSeconds: 7 });
}

/** Fails with a cause that cannot be cloned. */
function failOddly(message: string): never {
  throw new Error(message, { cause: { odd: () => undefined } });
}

serveTasks({
  count,
  spin,
  double,
  byteLength,
  fail,
  beAway,
  failOddly,
  giveOddly: () => () => undefined,
  die: (code: number) => process.exit(code),
});
