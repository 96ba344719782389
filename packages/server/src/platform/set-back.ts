/** Smaller clock corrections are ignored. */
const SET_BACK_MS = 60_000;

/** Whether the clock was set back after `notedMs`. Deadlines computed from it would then be too late. */
export function wasSetBack(notedMs: number, nowMs: number): boolean {
  return notedMs - nowMs > SET_BACK_MS;
}
