/**
 * Delays before the missing trades of a gap are requested again. Later ones would be far from their time on the tape.
 */
export const ASK_AGAIN_MS: readonly number[] = [10_000, 60_000, 300_000];
