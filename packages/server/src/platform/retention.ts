/**
 * The cutoff before which data with a retention of `keepMs` may be removed; `undefined` while the clock is not trusted.
 */
export type Retention = (keepMs: number) => number | undefined;
