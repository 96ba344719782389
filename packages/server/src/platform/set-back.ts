/** Smaller corrections of the clock are no matter. */
const SET_BACK_MS = 60_000;

/** Whether the clock was set back since a time was noted: what was to last from then on would last too long. */
export function wasSetBack(notedMs: number, nowMs: number): boolean {
  return notedMs - nowMs > SET_BACK_MS;
}
