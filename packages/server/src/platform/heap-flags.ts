import { setFlagsFromString } from 'node:v8';
import type { Worker } from 'node:worker_threads';

/**
 * A heap grows by half over its live size before a collection; V8's default lets it grow fourfold on a large machine.
 */
const GROWTH = '--heap-growing-percent=35';
/** Collections move objects together on pages that are a fifth empty, instead of two thirds. */
const COMPACT = '--optimize-for-size';
/** A thread that starts with `COMPACT` has 2 MB for young objects, whatever its limit. This gives it 8. */
const YOUNG = ['--no-optimize-for-size', '--max-semi-space-size=4'];

let areSmall = false;

/** For the heaps of all threads; docs/memory.md has the figures. */
export function keepHeapsSmall(): void {
  areSmall = true;
  for (const flag of [GROWTH, COMPACT]) setFlagsFromString(flag);
}

/** Starts a thread that makes many short-lived objects: with 2 MB for them it would copy most of them before they end. */
export function withYoungSpace(start: () => Worker): Worker {
  if (!areSmall) return start();
  for (const flag of YOUNG) setFlagsFromString(flag);
  const worker = start();
  // By then the thread has set up its heap. A thread that failed exits without having been online.
  for (const event of ['online', 'exit']) worker.once(event, () => setFlagsFromString(COMPACT));
  return worker;
}
