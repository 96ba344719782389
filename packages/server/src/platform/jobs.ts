/** A named piece of CPU work. `payload` and `result` exist for the compiler alone. */
export interface Task<Payload, Result> {
  /** The name under which the worker exports the function that does it. */
  readonly name: string;
  readonly payload?: Payload;
  readonly result?: Result;
}

/** The function behind a task. What it takes and gives must be plain data. */
export type TaskFunction<Of> =
  Of extends Task<infer Payload, infer Result> ? (payload: Payload) => Result | Promise<Result> : never;

interface JobOptions {
  /** Buffers of the payload that are handed over rather than copied. */
  readonly transfer?: readonly ArrayBuffer[];
  /** Ends the job, even while it runs. */
  readonly signal?: AbortSignal;
}

/** Where CPU work goes, so that the event loop stays free: threads of this process now, other machines later. */
export interface JobRunner {
  /** Rejects with the failure `overloaded` when too many jobs wait already. */
  run<Payload, Result>(task: Task<Payload, Result>, payload: Payload, options?: JobOptions): Promise<Result>;
  stop(): Promise<void>;
}
