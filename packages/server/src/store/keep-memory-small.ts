import type { Clock } from '@crosstape/core';
import type { Log } from '../platform/log.ts';
import type { MappedRange, SystemMemory } from '../platform/system-memory.ts';

/**
 * A page that is read maps 15 more around it, and rows of hundreds of markets are read and written each second: 40 MB a
 * second at real size.
 */
const DROP_STORE_EVERY_MS = 200;
/** Its maps stay until it is closed, and more are rare: reading the list of all maps takes milliseconds. */
const FIND_STORE_EVERY_MS = 10_000;
/** Most pages of the program are needed again at once. */
const DROP_PROGRAM_EVERY_MS = 1_000;
/** Less often: allocating threads wait for it. */
const TRIM_EVERY_MS = 2_000;

export interface KeepMemorySmallOptions {
  readonly memory: Pick<SystemMemory, 'trim' | 'mapsOf' | 'dropPages' | 'dropProgramPages'>;
  readonly clock: Clock;
  readonly log: Log;
  /** File of a store that is closed only after this has been stopped; absent if there is none. */
  readonly storeFile?: string;
}

/**
 * Returns free memory and pages of the store and the program to the system now and then, until it is stopped. One store
 * is enough: lmdb opens a file once per process and shares it among threads, and keeps every map until the last of them
 * has closed it.
 */
export function keepMemorySmall({
  memory,
  clock,
  log,
  storeFile,
}: KeepMemorySmallOptions): () => Promise<void> {
  const repeat = (everyMs: number, what: string, release: () => Promise<void>): (() => Promise<void>) => {
    let releasing: Promise<void> | undefined;
    const run = async (): Promise<void> => {
      const startedAtMs = clock.now();
      try {
        await release();
        log.debug({ what, tookMs: Math.round(clock.now() - startedAtMs) }, 'gave memory back to the system');
      } catch (error) {
        log.debug({ what, err: error }, 'cannot give memory back to the system');
      }
      releasing = undefined;
    };
    const timer = clock.every(everyMs, () => {
      releasing ??= run();
    });
    return async () => {
      timer.cancel();
      await releasing;
    };
  };
  let found: { readonly maps: readonly MappedRange[]; readonly atMs: number } | undefined;
  const dropStore = async (file: string): Promise<void> => {
    const nowMs = clock.now();
    if (!found || nowMs - found.atMs >= FIND_STORE_EVERY_MS)
      found = { maps: await memory.mapsOf(file), atMs: nowMs };
    await memory.dropPages(found.maps);
  };
  const stops = [
    repeat(DROP_STORE_EVERY_MS, 'pages of the store', async () => {
      if (storeFile !== undefined) await dropStore(storeFile);
    }),
    repeat(DROP_PROGRAM_EVERY_MS, 'pages of the program', () => memory.dropProgramPages()),
    repeat(TRIM_EVERY_MS, 'free memory', () => memory.trim()),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
