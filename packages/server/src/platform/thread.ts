import { type TransferListItem, Worker } from 'node:worker_threads';
import { systemClock } from './system-clock.ts';
import type { JobEnd, ThreadJob, ThreadStart, ThreadMessage } from './thread-tasks.ts';

export interface ThreadOptions extends ThreadStart {
  /** Module that it runs. */
  readonly entry: URL;
  /** How long an abandoned job may take to notice. */
  readonly graceMs: number;
  /** Called whenever it has finished a job and can start another. */
  readonly onFree: (thread: Thread) => void;
  /** Called when the thread has ended. */
  readonly onExit: (thread: Thread) => void;
}

/** A job as the caller sees it. */
export interface Assignment {
  readonly job: ThreadJob;
  readonly transfer: readonly ArrayBuffer[];
  /** Called in order, and never after the end. */
  readonly onProgress: (progress: unknown) => void;
  readonly onEnd: (end: JobEnd) => void;
}

/**
 * A worker thread, which runs one job at a time. It is not terminated while it loads modules or works, unless it does
 * not notice that its job was abandoned: terminating it inside native code, such as opening a store, aborts the whole
 * process.
 */
export class Thread {
  readonly #options: ThreadOptions;
  readonly #worker: Worker;
  #assignment: Assignment | undefined;
  #ended = Promise.resolve();
  #markEnded = (): void => {};
  #markLoaded = (): void => {};
  readonly #loaded = new Promise<void>((resolve) => {
    this.#markLoaded = resolve;
  });

  constructor(options: ThreadOptions) {
    this.#options = options;
    this.#worker = openWorker(options.entry, { isBackground: options.isBackground } satisfies ThreadStart);
    // Until it has a job: posting the first may fail.
    this.#worker.unref();
    this.#worker.on('message', (word: ThreadMessage) => {
      if (word.kind === 'loaded') return this.#markLoaded();
      if (word.kind === 'progress') return this.#assignment?.onProgress(word.progress);
      this.#end(word);
      options.onFree(this);
    });
    this.#worker.on('messageerror', (error) => {
      this.#end({ kind: 'error', error });
      // The state of the thread is unknown.
      void this.#worker.terminate();
    });
    // An uncaught error ends the thread.
    this.#worker.on('error', (error) => this.#end({ kind: 'error', error }));
    this.#worker.once('exit', (code) => {
      this.#markLoaded();
      this.#end({ kind: 'error', error: new Error(`a thread ended with code ${code}`) });
      options.onExit(this);
    });
  }

  /** Starts a job; only while idle. Throws if the payload cannot be cloned. */
  begin(assignment: Assignment): void {
    this.#worker.postMessage(assignment.job, [...assignment.transfer]);
    this.#assignment = assignment;
    this.#worker.ref();
    this.#ended = new Promise((resolve) => {
      this.#markEnded = resolve;
    });
  }

  /** Ends the job at its next check, or with the thread if it does not check for too long. */
  async giveUp(): Promise<void> {
    if (!this.#assignment) return;
    Atomics.store(this.#assignment.job.givenUp, 0, 1);
    const ended = this.#ended;
    await this.#loaded;
    const late = systemClock.after(this.#options.graceMs, () => void this.#worker.terminate());
    await ended;
    late.cancel();
  }

  async stop(): Promise<void> {
    await this.giveUp();
    this.#worker.ref();
    await this.#loaded;
    await this.#worker.terminate();
  }

  #end(end: JobEnd): void {
    const assignment = this.#assignment;
    this.#assignment = undefined;
    // An idle thread does not keep the process alive.
    this.#worker.unref();
    this.#markEnded();
    assignment?.onEnd(end);
  }
}

/** In MB: the default of 48 would stay resident in each thread. */
const YOUNG_GENERATION_MB = 12;

/** From a build the entry runs as it is; from source, `tsx` is registered inside: threads of Node 20 ignore `--import`. */
export function openWorker(
  entry: URL,
  workerData: unknown,
  transferList: readonly TransferListItem[] = [],
): Worker {
  const options = {
    workerData,
    transferList: [...transferList],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  };
  if (!entry.pathname.endsWith('.ts')) return new Worker(entry, options);
  const code = `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(entry.href)}); })`;
  return new Worker(code, { ...options, eval: true, execArgv: ['--conditions=crosstape-source'] });
}
