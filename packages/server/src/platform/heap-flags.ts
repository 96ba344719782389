import { setFlagsFromString } from 'node:v8';
import type { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '@crosstape/core';
import { systemClock } from './system-clock.ts';

/** A heap grows by a quarter over its live size before a collection; V8's default lets it grow fourfold on a large machine. */
const GROWTH = '--heap-growing-percent=25';
/**
 * Collections move objects together on pages that are a fifth empty, instead of two thirds. They also drop shapes that no
 * object has any longer, and with a shape all code that was optimised for it: only now and then.
 */
const COMPACT = ['--optimize-for-size'];
export const COMPACT_EVERY_MS = 20_000;
/** Long enough for a collection of a busy thread to begin. */
export const COMPACT_FOR_MS = 5_000;
/**
 * `COMPACT` also limits the young objects of threads that start meanwhile to 2 MB, and that limit would stay. So would one
 * that was given to the program for its main thread: other threads have their own (`openWorker`).
 */
const USUAL = ['--no-optimize-for-size', '--max-semi-space-size=0'];

let cycle: Timer | undefined;

/** For the heaps of all threads; docs/memory.md has the figures. */
export function keepHeapsSmall(clock: Clock = systemClock): void {
  setFlagsFromString(GROWTH);
  set(USUAL);
  cycle?.cancel();
  let end: Timer | undefined;
  const begin = clock.every(COMPACT_EVERY_MS, () => {
    set(COMPACT);
    end = clock.after(COMPACT_FOR_MS, () => set(USUAL));
  });
  cycle = {
    cancel() {
      begin.cancel();
      end?.cancel();
      set(USUAL);
    },
  };
}

/** Starts a thread that makes many short-lived objects: with 2 MB for them it would copy most of them before they end. */
export function withYoungSpace(start: () => Worker, clock?: Clock): Worker {
  // It has set up its heap long before the next round.
  if (cycle) keepHeapsSmall(clock);
  return start();
}

function set(flags: readonly string[]): void {
  for (const flag of flags) setFlagsFromString(flag);
}
