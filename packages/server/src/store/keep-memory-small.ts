import type { Clock } from '@crosstape/core';
import type { Log } from '../platform/log.ts';
import type { SystemMemory } from '../platform/system-memory.ts';

const RELEASE_EVERY_MS = 3_000;

export interface KeepMemorySmallOptions {
  readonly memory: Pick<SystemMemory, 'trim' | 'dropPages' | 'dropProgramPages'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Of a store that is closed only after this has been stopped; absent where there is none. */
  readonly storeFile?: string;
}

/**
 * Gives free memory and the pages of the store and of the program back to the system now and then, until it is stopped. One store is enough:
 * lmdb opens a file once in a process and shares that among the threads, and it keeps every map until the last of them
 * has closed it.
 */
export function keepMemorySmall({
  memory,
  clock,
  log,
  storeFile,
}: KeepMemorySmallOptions): () => Promise<void> {
  let releasing: Promise<void> | undefined;
  const release = async (): Promise<void> => {
    const startedAtMs = clock.now();
    try {
      if (storeFile !== undefined) await memory.dropPages(storeFile);
      await memory.trim();
      await memory.dropProgramPages();
      log.debug({ tookMs: Math.round(clock.now() - startedAtMs) }, 'gave free memory back to the system');
    } catch (error) {
      log.debug({ err: error }, 'cannot give free memory back to the system');
    }
    releasing = undefined;
  };
  const timer = clock.every(RELEASE_EVERY_MS, () => {
    releasing ??= release();
  });
  return async () => {
    timer.cancel();
    await releasing;
  };
}
