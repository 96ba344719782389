import type { JobOptions, JobRunner, Task } from '../../../platform/jobs.ts';
import { systemClock } from '../../../platform/system-clock.ts';
import type { TickTable } from '../../tape/tick-table.ts';
import { type BuildOrder, type BuildProgress, buildBars } from '../build-bars.ts';

/** Builds one after another as the test lets them, on the test's own thread. */
export class HeldJobs implements JobRunner {
  readonly #waiting: (() => void)[] = [];
  table: TickTable | undefined;
  isHolding = false;
  /** Error of the next builds. */
  problem: Error | undefined;

  async run<Payload, Result, Progress>(
    _task: Task<Payload, Result, Progress>,
    payload: Payload,
    { signal, onProgress }: JobOptions<Progress> = {},
  ): Promise<Result> {
    if (this.isHolding) {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push(resolve);
        signal?.addEventListener('abort', () => reject(new Error('aborted')));
      });
    }
    if (this.problem) throw this.problem;
    const order = payload as BuildOrder;
    const report = (progress: BuildProgress): void => onProgress?.(progress as Progress);
    const tools = { clock: systemClock, report };
    const { table } = this;
    return (await buildBars(
      order,
      order.folder === undefined || !table ? tools : { ...tools, tableOf: () => table },
    )) as Result;
  }

  release(): void {
    this.isHolding = false;
    for (const go of this.#waiting.splice(0)) go();
  }

  async stop(): Promise<void> {}
}
