import type { Trade } from '@crosstape/core';

/** The published trades of one market that are newer than its record. */
export function unrecordedOf(published: readonly Trade[], recorded: readonly Trade[]): readonly Trade[] {
  const lastTs = recorded.at(-1)?.ts ?? Number.NEGATIVE_INFINITY;
  const known = new Set(recorded.filter(({ ts }) => ts === lastTs).map(({ tid }) => tid));
  return published.filter(({ ts, tid }) => ts > lastTs || (ts === lastTs && !known.has(tid)));
}
