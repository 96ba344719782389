import { Failure } from './errors.ts';

/** A named piece of CPU work. `payload`, `result` and `progress` exist for the compiler alone. */
export interface Task<Payload, Result, Progress = never> {
  /** The name under which the worker exports the function that does it. */
  readonly name: string;
  readonly payload?: Payload;
  readonly result?: Result;
  readonly progress?: Progress;
}

/** The function behind a task. Its arguments, progress reports and result must be plain data. */
export type TaskFunction<Of> =
  Of extends Task<infer Payload, infer Result, infer Progress>
    ? (payload: Payload, report: (progress: Progress) => void) => Result | Promise<Result>
    : never;

export interface JobOptions<Progress = never> {
  /** Buffers of the payload that are handed over rather than copied. */
  readonly transfer?: readonly ArrayBuffer[];
  /** The caller that it is done for: callers take turns. Default: the service itself. */
  readonly caller?: string;
  /** Ends the job, even while it runs. */
  readonly signal?: AbortSignal;
  /** For a task that reports progress: called for each report, never after the job has ended. */
  readonly onProgress?: (progress: Progress) => void;
}

/** Runs CPU work off the event loop: on threads of this process, or on other machines. */
export interface JobRunner {
  /** Rejects with the failure `overloaded` when too many jobs wait already. */
  run<Payload, Result, Progress = never>(
    task: Task<Payload, Result, Progress>,
    payload: Payload,
    options?: JobOptions<Progress>,
  ): Promise<Result>;
  stop(): Promise<void>;
}

/** Jobs take seconds, so there may be room again by then. */
const RETRY_AFTER_SECONDS = 5;

/** The error for a job when too many wait. */
export function tooManyJobs(cause?: unknown): Failure {
  return new Failure('overloaded', 'Too many jobs are queued.', {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
