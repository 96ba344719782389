import type { Context } from '../context.ts';

/** When the record of the tape begins; `undefined` while it cannot be read. */
export function recordedSinceMs({ resources }: Context): Promise<number | undefined> {
  const { coverage, startedAtMs } = resources;
  return coverage.recordedSinceMs().then(
    (sinceMs) => sinceMs ?? startedAtMs,
    () => undefined,
  );
}

/** `sinceTs` of a figure over a window, while the record begins after the window does. */
export function sinceTsOf(recordedMs: number | undefined, windowFromMs: number): { sinceTs?: number } {
  return recordedMs !== undefined && recordedMs > windowFromMs ? { sinceTs: recordedMs } : {};
}
