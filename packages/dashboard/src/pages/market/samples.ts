import type { Sample } from './indicator.ts';

/** Samples, and those of others that are newer than the last of them. */
export function goneOn(samples: readonly Sample[], others: readonly Sample[]): readonly Sample[] {
  const lastTs = samples.at(-1)?.ts ?? 0;
  return [...samples, ...others.filter(({ ts }) => ts > lastTs)];
}
