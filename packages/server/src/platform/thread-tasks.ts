import { setPriority } from 'node:os';
import { types } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { Failure, type FailureDetails } from './errors.ts';

/** A job of a thread. */
export interface ThreadJob {
  readonly task: string;
  readonly payload: unknown;
  /** Shared with the caller: not zero once the result is no longer wanted. */
  readonly givenUp: Int32Array;
}

/** How a job ends. */
export type JobEnd =
  | { readonly kind: 'value'; readonly value: unknown }
  /** For an expected failure its fields, because its class cannot be cloned. */
  | { readonly kind: 'error'; readonly error: unknown; readonly failure?: FailureParts };

export type FailureParts = Pick<Failure, 'code' | 'message'> & Pick<FailureDetails, 'retryAfterSeconds'>;

/** Messages of a thread: that it is ready, then progress and end of each job. */
export type ThreadMessage =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'progress'; readonly progress: unknown }
  | JobEnd;

/** What a thread is started with. */
export interface ThreadStart {
  /** Whether it yields to everything else on the machine. */
  readonly isBackground: boolean;
}

/** Each task has its own payload and progress; both sides match by the task's name. */
type AnyTask = (payload: never, report: (progress: unknown) => void) => unknown;

const BACKGROUND_NICE = 10;

/** The current job: a thread runs one at a time. */
let job: ThreadJob | undefined;

/** Serves the tasks of a thread's module, by name. */
export function serveTasks(tasks: Readonly<Record<string, AnyTask>>): void {
  // On Linux a thread has its own priority; elsewhere this would be that of the whole process.
  if ((workerData as ThreadStart).isBackground && process.platform === 'linux') setPriority(BACKGROUND_NICE);
  parentPort?.on('message', (next: ThreadJob) => void serve(tasks, next));
  say({ kind: 'loaded' });
}

async function serve(tasks: Readonly<Record<string, AnyTask>>, next: ThreadJob): Promise<void> {
  job = next;
  try {
    throwIfGivenUp();
    const task = tasks[next.task];
    if (!task) throw new Error(`this thread has no task ${next.task}`);
    const report = (progress: unknown): void => {
      throwIfGivenUp();
      say({ kind: 'progress', progress });
    };
    say({ kind: 'value', value: await task(next.payload as never, report) });
  } catch (error) {
    sayError(error);
  }
}

function sayError(thrown: unknown): void {
  // Other thrown values, such as one that cannot be cloned, would not arrive at all.
  const error = types.isNativeError(thrown) ? thrown : new Error(String(thrown));
  const failure = error instanceof Failure && { failure: partsOf(error) };
  try {
    say({ kind: 'error', error, ...failure });
  } catch {
    // Its cause cannot be cloned.
    say({ kind: 'error', error: new Error(error.stack ?? error.message), ...failure });
  }
}

function partsOf({ code, message, details: { retryAfterSeconds } }: Failure): FailureParts {
  return { code, message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

function say(word: ThreadMessage): void {
  parentPort?.postMessage(word, []);
}

/** For long tasks to call now and then: throws once the result is no longer wanted. */
export function throwIfGivenUp(): void {
  if (job && Atomics.load(job.givenUp, 0) !== 0) throw new Error(`job ${job.task} was abandoned`);
}
