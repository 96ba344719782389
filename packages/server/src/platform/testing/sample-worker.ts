import { isMainThread } from 'node:worker_threads';
import type { Task } from '../jobs.ts';
import { reporting } from '../thread-tasks.ts';

export const countTask: Task<number, number, number> = { name: 'count' };

/** Tells every number up to `length`, and gives twice as much. */
export const count = reporting<typeof countTask>((length, report) => {
  for (let i = 1; i <= length; i += 1) report(i);
  return length * 2;
});

export function double(value: number): { value: number; isMainThread: boolean } {
  return { value: value * 2, isMainThread };
}

export function byteLength(bytes: Uint8Array): number {
  return bytes.byteLength;
}

export function fail(message: string): never {
  throw new Error(message);
}

export function spin(): never {
  for (;;);
}
