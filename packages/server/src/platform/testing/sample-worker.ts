import { isMainThread } from 'node:worker_threads';

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
