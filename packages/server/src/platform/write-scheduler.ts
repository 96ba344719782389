/** Work that is done in small pieces. */
export interface Task {
  /** Does one piece. Returns what it cost, in bytes, or `undefined` when nothing is left for now. */
  step(): number | undefined;
}

/** A write costs as much as copying this many bytes, however few it carries. */
export const WRITE_COST_BYTES = 4_096;
/** A few milliseconds of writing; then other work runs. */
const TURN_COST_MAX_BYTES = 2 * 1_048_576;

/**
 * Shares the event loop among tasks: each in turn does a piece, up to a bound per turn of the loop. Tasks added
 * during a turn of the loop start when its I/O has been read, so that what arrived together is sent together.
 */
export class WriteScheduler {
  readonly #tasks = new Set<Task>();
  #isScheduled = false;

  /** A task that is already waiting keeps its place. */
  add(task: Task): void {
    this.#tasks.add(task);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#tasks.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#run();
      this.#schedule();
    });
  }

  #run(): void {
    let spentBytes = 0;
    // A set visits what is added during the visit: a task with more to do goes to the back of the queue.
    for (const task of this.#tasks) {
      if (spentBytes >= TURN_COST_MAX_BYTES) return;
      this.#tasks.delete(task);
      const costBytes = task.step();
      if (costBytes === undefined) continue;
      spentBytes += Math.max(costBytes, WRITE_COST_BYTES);
      this.#tasks.add(task);
    }
  }
}
