/**
 * Waits before the missing trades of a gap are requested again. What comes later than that would stand far from its time
 * on the tape.
 */
export const ASK_AGAIN_MS: readonly number[] = [10_000, 60_000, 300_000];
