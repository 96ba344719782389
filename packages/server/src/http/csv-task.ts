import type { Task } from '../platform/jobs.ts';
import { type List, printCsv } from './csv.ts';

/** Data that were printed as JSON, and the list in them. */
export interface PrintedList {
  readonly list: List;
  readonly json: Uint8Array;
  /** The caller that the work is scheduled for. */
  readonly caller: string;
}

/** Prints a long list on a worker; `worker.ts` exports the function. */
export const csvOfJsonTask: Task<PrintedList, Uint8Array> = { name: 'csvOfJson' };

export function csvOfJson({ list, json, caller }: PrintedList): Promise<Uint8Array> {
  return printCsv(list, JSON.parse(Buffer.from(json).toString()), caller);
}
