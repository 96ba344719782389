import type { Trade } from '@crosstape/core';

/** Of the trades of one market that were published, those that are newer than what is recorded of it. */
export function unrecordedOf(published: readonly Trade[], recorded: readonly Trade[]): readonly Trade[] {
  const lastTs = recorded.at(-1)?.ts ?? Number.NEGATIVE_INFINITY;
  const known = new Set(recorded.filter(({ ts }) => ts === lastTs).map(({ tid }) => tid));
  return published.filter(({ ts, tid }) => ts > lastTs || (ts === lastTs && !known.has(tid)));
}
