import { systemClock } from '@crosstape/client';

/** Calls after this many frames were drawn, before the next one: work that is spread keeps each frame short. */
export function afterFrames(count: number, call: () => void): void {
  if (count === 0) call();
  else requestAnimationFrame(() => systemClock.after(0, () => afterFrames(count - 1, call)));
}
