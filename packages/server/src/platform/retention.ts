/**
 * What is older than the time given back may be removed, where `keepMs` of it are kept. `undefined` while nothing may be
 * removed, because the time is not sure.
 */
export type Retention = (keepMs: number) => number | undefined;
