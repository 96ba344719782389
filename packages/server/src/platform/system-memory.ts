import { readFile, realpath } from 'node:fs/promises';
import type { LibraryHandle } from 'koffi';

/** Parameters of `mallopt`, from glibc's malloc.h. */
const M_TRIM_THRESHOLD = -1;
const M_MMAP_THRESHOLD = -3;
const M_ARENA_MAX = -8;
/** An arena keeps what its threads freed; by default each thread has its own. */
const ARENAS_MAX = 2;
/** A larger buffer has its own mapping and is returned to the system when it is freed. */
const MAPPED_BUFFER_BYTES = 256 * 1_024;
/** Free memory kept at the end of an arena. */
const ARENA_REST_BYTES = 128 * 1_024;
/** Of `madvise`: the pages leave this process and stay in the system's cache. */
const MADV_DONTNEED = 4;

type Call = (...values: readonly number[]) => Promise<number>;

/** Calls of the C library that control how much free memory stays resident. */
export interface SystemMemory {
  /** Limits what the allocator keeps. Call before threads are started. */
  limitArenas(): void;
  /** Returns free memory to the system. */
  trim(): Promise<void>;
  /** Where a file is mapped now. */
  mapsOf(path: string): Promise<readonly MappedRange[]>;
  /**
   * Releases the pages of a mapped file; they are loaded again when they are read. The file must stay mapped until this
   * has ended, or whatever took its addresses would be zeroed.
   */
  dropPages(ranges: readonly MappedRange[]): Promise<void>;
  /** Releases the pages of the Node.js program; those in use are loaded again at once, those of the start are not. */
  dropProgramPages(): Promise<void>;
}

/**
 * Call before threads are started: a thread has a map of the program that ends with it. `undefined` where the calls are
 * not available: on other systems, on musl, and without the optional package `koffi`.
 */
export async function openSystemMemory(): Promise<SystemMemory | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const library = (await import('koffi')).load(null);
    return systemMemory(
      library,
      unchangedMapsOf(await readFile('/proc/self/smaps', 'utf8'), process.execPath),
    );
  } catch {
    return undefined;
  }
}

function systemMemory(library: LibraryHandle, program: readonly MappedRange[]): SystemMemory {
  const mallopt = library.func('int mallopt(int, int)');
  const trim = onOtherThread(library.func('int malloc_trim(size_t)'));
  const advise = onOtherThread(library.func('int madvise(uintptr_t, size_t, int)'));
  const drop = async (ranges: readonly MappedRange[]): Promise<void> => {
    for (const { start, bytes } of ranges) await advise(start, bytes, MADV_DONTNEED);
  };
  return {
    limitArenas() {
      mallopt(M_ARENA_MAX, ARENAS_MAX);
      mallopt(M_MMAP_THRESHOLD, MAPPED_BUFFER_BYTES);
      mallopt(M_TRIM_THRESHOLD, ARENA_REST_BYTES);
    },
    async trim() {
      await trim(0);
    },
    async mapsOf(path) {
      const file = await realpath(path);
      return mapsOf(await readFile('/proc/self/maps', 'utf8'), file);
    },
    dropPages: drop,
    dropProgramPages: () => drop(program),
  };
}

/** Runs on a libuv thread: the time of a trim grows with the memory to scan. */
function onOtherThread({ async: call }: ReturnType<LibraryHandle['func']>): Call {
  return (...values) =>
    new Promise((resolve, reject) => {
      call(...values, (error: unknown, result: number) => (error ? reject(error) : resolve(result)));
    });
}

export interface MappedRange {
  readonly start: number;
  readonly bytes: number;
}

/**
 * Where a file is mapped, from the text of `/proc/self/maps`. Only shared read-only maps: dropping pages of others
 * would lose data.
 */
export function mapsOf(maps: string, file: string): readonly MappedRange[] {
  return maps.split('\n').flatMap((line) => mappedRange(line, /^r-[-x]s$/, file));
}

/**
 * Where a program is mapped, from the text of `/proc/self/smaps`. Only read-only maps without a page that differs from
 * the file: the loader changes some before it protects them.
 */
export function unchangedMapsOf(smaps: string, file: string): readonly MappedRange[] {
  return smaps.split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/).flatMap((map) => {
    const [line = ''] = map.split('\n', 1);
    return /^Anonymous: +0 kB$/m.test(map) ? mappedRange(line, /^r-[-x]p$/, file) : [];
  });
}

/** The range of one line of `/proc/self/maps`, or none. */
function mappedRange(line: string, permissions: RegExp, file: string): readonly MappedRange[] {
  const [, from, to, allowed = '', path] =
    /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+ +(.+)$/.exec(line) ?? [];
  if (from === undefined || to === undefined || path !== file || !permissions.test(allowed)) return [];
  const start = Number.parseInt(from, 16);
  return [{ start, bytes: Number.parseInt(to, 16) - start }];
}
