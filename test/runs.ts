import { isLong } from './long.ts';

/** How often a property is tried: an eighth of a count, and with `LONG=1` all of it. */
export function runs(count: number): number {
  return isLong ? count : Math.ceil(count / 8);
}
