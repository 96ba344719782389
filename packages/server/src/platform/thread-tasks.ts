import type { MessagePort } from 'node:worker_threads';
import type { ReportingFunction } from './jobs.ts';

/** What a thread is given when somebody wants to know how far it is. */
export interface ReportedPayload {
  readonly payload: unknown;
  readonly port: MessagePort;
}

/** For the worker: what to export under the name of a task that tells how far it is. */
export function reporting<Of>(
  run: ReportingFunction<Of>,
): (reported: ReportedPayload) => ReturnType<ReportingFunction<Of>> {
  return ({ payload, port }) => {
    const report = (progress: unknown): void => port.postMessage(progress);
    return (run as (payload: unknown, report: (progress: unknown) => void) => ReturnType<typeof run>)(
      payload,
      report,
    );
  };
}
