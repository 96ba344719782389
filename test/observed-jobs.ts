import { type JobRunner, startThreadJobs } from '@crosstape/server';

type Kind = 'short' | 'background';

/** The service's threads, as a test sees them: it can wait for their jobs, and hold the first-run history back. */
export class ObservedJobs {
  /** Jobs that are held back, wait for a thread or run on one. */
  readonly underWay = { short: 0, background: 0 };
  /** Threads of a service that has stopped, for the next one: to load the modules again would take a second of work. */
  readonly #kept = new Map<Kind, JobRunner>();
  #history = Promise.resolve();

  /** Holds the first-run history back until the returned function is called. */
  holdHistory(): () => void {
    let release = (): void => undefined;
    this.#history = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  readonly start = (options: Parameters<typeof startThreadJobs>[0] = {}): JobRunner => {
    const kind = options.isBackground ? 'background' : 'short';
    const threads = this.#kept.get(kind) ?? startThreadJobs(options);
    this.#kept.delete(kind);
    const jobs = new Set<object>();
    let isStopped = false;
    // A thread may still work on a job that was aborted.
    let hasAborted = false;
    return {
      run: async (task, payload, jobOptions) => {
        const job = {};
        jobs.add(job);
        this.underWay[kind] += 1;
        try {
          if (task.name.startsWith('seed')) await this.#history;
          if (isStopped) throw new Error(`the job ${task.name} was given up`);
          return await threads.run(task, payload, jobOptions);
        } finally {
          this.underWay[kind] -= 1;
          jobs.delete(job);
          hasAborted ||= jobOptions?.signal?.aborted ?? false;
        }
      },
      stop: async () => {
        isStopped = true;
        // What is still under way ends with its threads.
        if (jobs.size > 0 || hasAborted || this.#kept.has(kind)) await threads.stop();
        else this.#kept.set(kind, threads);
      },
    };
  };

  async close(): Promise<void> {
    await Promise.all([...this.#kept.values()].map((threads) => threads.stop()));
    this.#kept.clear();
  }
}
