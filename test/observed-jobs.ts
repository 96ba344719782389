import { type JobRunner, startThreadJobs } from '@crosstape/server';

/** The service's threads, as a test sees them: it can wait for their jobs, and hold the first-run history back. */
export class ObservedJobs {
  /** Jobs that are held back, wait for a thread or run on one. */
  readonly underWay = { short: 0, background: 0 };
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
    const threads = startThreadJobs(options);
    const kind = options.isBackground ? 'background' : 'short';
    return {
      run: async (task, payload, jobOptions) => {
        this.underWay[kind] += 1;
        try {
          if (task.name.startsWith('seed')) await this.#history;
          return await threads.run(task, payload, jobOptions);
        } finally {
          this.underWay[kind] -= 1;
        }
      },
      stop: () => threads.stop(),
    };
  };
}
