import { hash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type { Clock } from '@crosstape/core';
import { type Job, Queue, QueueEvents, Worker } from 'bullmq';
import { type JobRunner, type Task, tooManyJobs } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import { disconnect, type RedisLink, Script } from './redis.ts';
import { systemClock } from '../platform/system-clock.ts';

const QUEUE = 'builds';
/** Waiting jobs; beyond this a new job is refused and may be retried. */
const WAITING_MAX = 64;
/** Results are removed after this, fetched or not. */
const LEFT_SECONDS = 120;
/** A worker without a heartbeat for this long has failed, and its job goes to another. */
const LOCK_MS = 10_000;
/** How often stalled jobs are looked for. */
const STALLED_EVERY_MS = 5_000;
const STALLED_MAX = 2;
/** How often a worker checks whether its job is still wanted. */
const WANTED_EVERY_MS = 1_000;

/** A caller's round is forgotten after this time without a new job. */
const ROUNDS_MS = 3_600_000;
/** Callers whose rounds are remembered; beyond this all start again. */
const CALLERS_MAX = 10_000;
/** The lowest priority that the queue library accepts. */
const ROUND_MAX = 2 ** 21 - 1;

/**
 * Callers take turns: the jobs of a caller go into consecutive rounds, beginning with the current one. `KEYS`: a hash
 * from caller to its last round. `ARGV`: the caller, the bounds above. Returns the job's round.
 */
const roundScript = new Script(`
if redis.call('HLEN', KEYS[1]) > tonumber(ARGV[3]) then redis.call('DEL', KEYS[1]) end
local served = tonumber(redis.call('HGET', KEYS[1], 'served') or '1')
local last = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
local round = math.max(served, last + 1)
if round > tonumber(ARGV[4]) then
  redis.call('DEL', KEYS[1])
  round = 1
end
redis.call('HSET', KEYS[1], ARGV[1], round)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return round
`);

/** Stores the round of a job that starts. `KEYS` as above. `ARGV`: the round. */
const servedScript = new Script(
  `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if tonumber(redis.call('HGET', KEYS[1], 'served') or '1') >= tonumber(ARGV[1]) then return 0 end
return redis.call('HSET', KEYS[1], 'served', ARGV[1])
`,
  { flags: 'allow-oom' },
);

export interface QueueOptions {
  /** Prefix of every key; contains a hash tag. */
  readonly prefix: string;
  /** For short commands. */
  readonly link: RedisLink;
  /** Opens another connection, whose commands wait for the server. */
  readonly connectPatiently: () => RedisLink;
  readonly log: Log;
}

interface Data {
  readonly payload: string;
}

/** Runs jobs on the workers of a shared queue; callers take turns. */
export function startQueueJobs({ prefix, link, connectPatiently, log }: QueueOptions): JobRunner {
  const connections = [connectPatiently(), connectPatiently()] as const;
  const queue = new Queue<Data>(QUEUE, { prefix, connection: connections[0] });
  const events = new QueueEvents(QUEUE, { prefix, connection: connections[1] });
  const inProblem = (error: Error): void => log.debug({ err: error }, 'job queue error');
  queue.on('error', inProblem);
  events.on('error', inProblem);
  // Each waiting job adds a listener to both.
  for (const one of [queue, events]) one.setMaxListeners(0);
  return {
    async run(task, payload, { caller = '', signal, onProgress } = {}) {
      signal?.throwIfAborted();
      if ((await queue.getJobCountByTypes('waiting', 'prioritized')) >= WAITING_MAX) throw tooManyJobs();
      await events.waitUntilReady();
      // Addresses are never stored.
      const bounds = [ROUNDS_MS, CALLERS_MAX, ROUND_MAX];
      const round = await roundScript.run(link, [roundsKey(prefix)], [hash('sha256', caller), ...bounds]);
      const job = await queue.add(
        task.name,
        { payload: serialize(payload).toString('base64') },
        {
          priority: round as number,
          removeOnComplete: { age: LEFT_SECONDS },
          removeOnFail: { age: LEFT_SECONDS },
        },
      );
      const id = job.id as string;
      const progressed = ({ jobId, data }: { jobId: string; data: unknown }): void => {
        if (jobId === id) onProgress?.(data as never);
      };
      events.on('progress', progressed);
      const cancel = (): void => {
        link.set(unwantedKey(prefix, id), 1, 'EX', LEFT_SECONDS).catch((error: unknown) => {
          log.debug({ err: error }, 'a job cannot be cancelled');
        });
      };
      // It may have been aborted while the job was queued.
      if (signal?.aborted) cancel();
      else signal?.addEventListener('abort', cancel, { once: true });
      try {
        await Promise.race([job.waitUntilFinished(events), aborted(signal)]);
        const bytes = await link.getBuffer(resultKey(prefix, id));
        if (!bytes) throw new Error(`the result of job ${id} is gone`);
        await link.del(resultKey(prefix, id));
        return deserialize(bytes);
      } finally {
        events.off('progress', progressed);
        signal?.removeEventListener('abort', cancel);
      }
    },
    async stop() {
      await Promise.all([queue.close(), events.close()]);
      for (const connection of connections) disconnect(connection);
    },
  };
}

export interface QueueWorkerOptions extends QueueOptions {
  /** Runs the jobs. */
  readonly jobs: JobRunner;
  /** Concurrent jobs. */
  readonly jobsMax: number;
  /** Adds to a payload what only the worker knows. */
  readonly complete: (payload: object) => object;
  readonly clock?: Clock;
}

/** Takes jobs from the shared queue, one after the other. */
export function startQueueWorker(options: QueueWorkerOptions): { stop(): Promise<void> } {
  const { prefix, link, connectPatiently, log, jobs, jobsMax, complete, clock = systemClock } = options;
  const stopping = new AbortController();
  const connection = connectPatiently();
  const work = async (job: Job<Data>): Promise<void> => {
    const id = job.id as string;
    const unwanted = new AbortController();
    const timer = clock.every(WANTED_EVERY_MS, () => {
      link.exists(unwantedKey(prefix, id)).then(
        (count) => count > 0 && unwanted.abort(new Error('no client is waiting for it')),
        (error: unknown) => log.debug({ err: error }, 'cannot check whether a job is still wanted'),
      );
    });
    servedScript.run(link, [roundsKey(prefix)], [job.priority]).catch((error: unknown) => {
      log.debug({ err: error }, 'cannot store the round of a job');
    });
    try {
      const payload = complete(deserialize(Buffer.from(job.data.payload, 'base64')) as object);
      const task: Task<object, unknown, unknown> = { name: job.name };
      const result = await jobs.run(task, payload, {
        signal: AbortSignal.any([unwanted.signal, stopping.signal]),
        onProgress: (progress) => {
          job.updateProgress(progress as object).catch((error: unknown) => {
            log.debug({ err: error }, 'progress cannot be reported');
          });
        },
      });
      await link.set(resultKey(prefix, id), serialize(result), 'EX', LEFT_SECONDS);
    } finally {
      timer.cancel();
    }
  };
  const worker = new Worker<Data>(QUEUE, work, {
    prefix,
    connection: connection,
    concurrency: jobsMax,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_EVERY_MS,
    maxStalledCount: STALLED_MAX,
  });
  worker.on('error', (error) => log.debug({ err: error }, 'job queue error'));
  return {
    /** Returns running jobs to the queue, for another worker. */
    async stop() {
      stopping.abort(new Error('the worker stops'));
      await worker.close(true);
      disconnect(connection);
    },
  };
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function resultKey(prefix: string, id: string): string {
  return `${prefix}:result:${id}`;
}

function roundsKey(prefix: string): string {
  return `${prefix}:rounds`;
}

function unwantedKey(prefix: string, id: string): string {
  return `${prefix}:unwanted:${id}`;
}
