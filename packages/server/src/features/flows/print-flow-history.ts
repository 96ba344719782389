import type { FlowMetric, FlowPoint } from '@crosstape/core';
import type { JobRunner, Task } from '../../platform/jobs.ts';
import { throwIfGivenUp } from '../../platform/thread-tasks.ts';
import type { FlowTable } from './flow-table.ts';
import { namesBehind } from './flow-minutes.ts';

export interface FlowHistoryOrder {
  /** Location of the store. */
  readonly folder: string;
  readonly coin: string;
  readonly metric: FlowMetric;
  readonly sinceMs: number;
  /** Put before the name of each source: `sim:` of a simulated market. */
  readonly prefix: string;
}

export interface FlowHistory {
  /** The points as a JSON array. */
  readonly json: Uint8Array;
  /** Time and sources of the newest point. */
  readonly newest?: { readonly t: number; readonly names: readonly string[] };
}

/** Prints the recorded points of a metric: a week of them takes longer than the event loop may. `worker.ts` exports the function. */
export const printFlowHistoryTask: Task<FlowHistoryOrder, FlowHistory> = { name: 'printFlowHistory' };

export async function printFlowHistory(
  table: FlowTable,
  { coin, metric, sinceMs, prefix }: Omit<FlowHistoryOrder, 'folder'>,
): Promise<FlowHistory> {
  const rows: string[] = [];
  let newest: FlowHistory['newest'];
  for await (const page of table.pages(coin, sinceMs)) {
    throwIfGivenUp();
    for (const point of page) {
      const v = point.values[metric];
      if (v === undefined) continue;
      const names = namesBehind(metric, point.origins);
      rows.push(printPoint(point, v, names.map((name) => prefix + name).join('+')));
      newest = { t: point.t, names };
    }
  }
  return { json: new TextEncoder().encode(`[${rows.join(',')}]`), ...(newest && { newest }) };
}

function printPoint({ t, partial, stale, sources, coverage }: FlowPoint, v: number, source: string): string {
  return JSON.stringify({ t, v, partial, stale, source, sources, coverage });
}

/** Reads recorded flows. Rejects if they cannot be read. */
export interface FlowHistoryReader {
  /** `caller` is who the history is read for: waiting callers take turns. */
  read(order: Pick<FlowHistoryOrder, 'coin' | 'metric' | 'sinceMs'>, caller: string): Promise<FlowHistory>;
}

export function createFlowHistoryReader(options: {
  readonly jobs: JobRunner;
  readonly folder: string;
  readonly prefix: string;
}): FlowHistoryReader {
  const { jobs, folder, prefix } = options;
  return {
    read: (order, caller) => jobs.run(printFlowHistoryTask, { ...order, folder, prefix }, { caller }),
  };
}
