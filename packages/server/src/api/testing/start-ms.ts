/** When tests of the interface begin. */
export const START_MS = 1_790_000_000_000;
