import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { Failure } from './errors.ts';
import type { JobRunner } from './jobs.ts';

export interface ThreadJobsOptions {
  /** Module whose exports do the tasks; the service's own unless told otherwise. */
  readonly entry?: URL;
  readonly threadsMax?: number;
  readonly queueMax?: number;
}

const QUEUE_MAX = 64;
/** A thread is kept this long without work. */
const IDLE_MS = 60_000;
const QUEUE_FULL = 'Task queue is at limit';
const isSource = import.meta.url.endsWith('.ts');

/** Jobs on worker threads of this process, at most one fewer than there are cores. */
export function startThreadJobs({
  entry = new URL(isSource ? '../worker.ts' : '../worker.js', import.meta.url),
  threadsMax = Math.max(1, availableParallelism() - 1),
  queueMax = QUEUE_MAX,
}: ThreadJobsOptions = {}): JobRunner {
  const pool = new Piscina({
    minThreads: 0,
    maxThreads: threadsMax,
    maxQueue: queueMax,
    idleTimeout: IDLE_MS,
    // What lets a thread run the sources. Node 20 ignores `--import` in threads; `--require` works everywhere.
    ...(isSource ? { execArgv: ['--require', 'tsx/cjs', '--conditions=development'] } : {}),
  });
  return {
    async run(task, payload, { transfer = [], signal } = {}) {
      try {
        return await pool.run(payload, {
          filename: fileURLToPath(entry),
          name: task.name,
          transferList: [...transfer],
          ...(signal ? { signal } : {}),
        });
      } catch (error) {
        if (error instanceof Error && error.message === QUEUE_FULL) {
          throw new Failure('overloaded', 'Too many jobs wait already.', { cause: error });
        }
        throw error;
      }
    },
    stop: () => pool.destroy(),
  };
}
