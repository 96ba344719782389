import { isMainThread } from 'node:worker_threads';
import type { Task } from '../jobs.ts';
import { handingOver, reporting } from '../thread-tasks.ts';

export const countTask: Task<number, Uint8Array, number> = { name: 'count' };

/** Tells every number up to `length`, and gives as many bytes. */
export const count = reporting<typeof countTask>((length, report) => {
  for (let i = 1; i <= length; i += 1) report(i);
  const bytes = new Uint8Array(length);
  return handingOver(bytes, bytes.buffer);
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
