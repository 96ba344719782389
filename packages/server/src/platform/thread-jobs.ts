import { availableParallelism } from 'node:os';
import type { Timer } from '@crosstape/core';
import { CallerCounts } from './caller-counts.ts';
import { networkOf } from './client-address.ts';
import { Failure } from './errors.ts';
import { FairQueue } from './fair-queue.ts';
import { type JobOptions, type JobRunner, type Task, tooManyJobs } from './jobs.ts';
import { systemClock } from './system-clock.ts';
import { type Assignment, Thread } from './thread.ts';
import type { FailureParts } from './thread-tasks.ts';

export interface ThreadJobsOptions {
  /** Module whose tasks are served; default: the service's own. */
  readonly entry?: URL;
  readonly threadsMax?: number;
  readonly queueMax?: number;
  /** Whether it yields to everything else on the machine. */
  readonly isBackground?: boolean;
  /** How long an abandoned job may take to notice. */
  readonly graceMs?: number;
}

const QUEUE_MAX = 64;
/** Share of the queue that one caller may fill, and one network (IPv6 /48, IPv4 /24). */
const CALLER_SHARE = 4;
const NETWORK_SHARE = 2;
/** A thread is kept this long without work. */
const IDLE_MS = 60_000;
/** Long tasks check far more often whether they are still wanted. */
const GRACE_MS = 10_000;
const ownEntry = import.meta.url.endsWith('.ts') ? '../worker.ts' : '../worker.js';

/** Jobs on worker threads of this process, at most one fewer than there are cores. */
export function startThreadJobs(options: ThreadJobsOptions = {}): JobRunner {
  return new ThreadJobs(options);
}

interface Waiting {
  readonly assignment: Assignment;
  readonly network: string;
}

class ThreadJobs implements JobRunner {
  readonly #options: Required<ThreadJobsOptions>;
  readonly #threads = new Set<Thread>();
  readonly #working = new Map<Assignment, Thread>();
  /** Idle threads, each with the timer that ends it. */
  readonly #idle = new Map<Thread, Timer>();
  /** At most `queueMax`. */
  readonly #waiting = new FairQueue<Waiting>();
  readonly #waitingByNetwork = new CallerCounts();
  #isStopping = false;

  constructor({
    entry = new URL(ownEntry, import.meta.url),
    threadsMax = Math.max(1, availableParallelism() - 1),
    queueMax = QUEUE_MAX,
    isBackground = false,
    graceMs = GRACE_MS,
  }: ThreadJobsOptions) {
    this.#options = { entry, threadsMax, queueMax, isBackground, graceMs };
  }

  async run<Payload, Result, Progress = never>(
    { name }: Task<Payload, Result, Progress>,
    payload: Payload,
    { transfer = [], caller = '', signal, onProgress }: JobOptions<Progress> = {},
  ): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#isStopping) throw givenUp(name);
    const isFull = this.#idle.size === 0 && this.#threads.size >= this.#options.threadsMax;
    const { queueMax } = this.#options;
    const network = networkOf(caller);
    const isGreedy =
      caller !== '' &&
      (this.#waiting.sizeOf(caller) >= queueMax / CALLER_SHARE ||
        this.#waitingByNetwork.of(network) >= queueMax / NETWORK_SHARE);
    if (isFull && (isGreedy || this.#waiting.size >= queueMax)) throw tooManyJobs();
    return new Promise<Result>((resolve, reject) => {
      const abort = (): void => {
        this.#giveUp(caller, waiting);
        reject(signal?.reason);
      };
      const assignment: Assignment = {
        job: { task: name, payload, givenUp: new Int32Array(new SharedArrayBuffer(4)) },
        transfer,
        onProgress: (progress) => {
          if (!signal?.aborted) onProgress?.(progress as Progress);
        },
        onEnd: (end) => {
          this.#working.delete(assignment);
          signal?.removeEventListener('abort', abort);
          if (end.kind === 'value') resolve(end.value as Result);
          else reject(end.failure ? revived(end.failure, end.error) : end.error);
        },
      };
      const waiting = { assignment, network };
      signal?.addEventListener('abort', abort);
      this.#waiting.push(caller, waiting);
      this.#waitingByNetwork.add(network);
      this.#assign();
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const { assignment } of this.#waiting.drain())
      assignment.onEnd({ kind: 'error', error: givenUp(assignment.job.task) });
    for (const end of this.#idle.values()) end.cancel();
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
  }

  /** Gives waiting jobs to threads, as far as there are any. */
  #assign(): void {
    for (;;) {
      const thread = this.#waiting.size > 0 ? this.#freeThread() : undefined;
      const waiting = thread && this.#waiting.shift();
      if (!thread || !waiting) return;
      const { assignment, network } = waiting;
      this.#waitingByNetwork.remove(network);
      this.#idle.get(thread)?.cancel();
      this.#idle.delete(thread);
      try {
        thread.begin(assignment);
        this.#working.set(assignment, thread);
      } catch (error) {
        assignment.onEnd({ kind: 'error', error });
        this.#rest(thread);
      }
    }
  }

  #freeThread(): Thread | undefined {
    // The thread that worked last has the warmest caches.
    const idle = [...this.#idle.keys()].at(-1);
    if (idle || this.#threads.size >= this.#options.threadsMax) return idle;
    const thread = new Thread({
      ...this.#options,
      onFree: (freed) => {
        this.#rest(freed);
        this.#assign();
      },
      onExit: (ended) => {
        this.#threads.delete(ended);
        this.#idle.get(ended)?.cancel();
        this.#idle.delete(ended);
        this.#assign();
      },
    });
    this.#threads.add(thread);
    return thread;
  }

  #rest(thread: Thread): void {
    if (this.#isStopping) return;
    this.#idle.set(
      thread,
      systemClock.after(IDLE_MS, () => {
        this.#idle.delete(thread);
        void thread.stop();
      }),
    );
  }

  #giveUp(caller: string, waiting: Waiting): void {
    if (this.#waiting.remove(caller, waiting)) this.#waitingByNetwork.remove(waiting.network);
    else void this.#working.get(waiting.assignment)?.giveUp();
  }
}

function givenUp(task: string): Error {
  return new Error(`job ${task} was abandoned`);
}

function revived({ code, message, retryAfterSeconds }: FailureParts, cause: unknown): Failure {
  return new Failure(code, message, { cause, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}
