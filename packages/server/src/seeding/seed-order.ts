/** Which part of a simulated market is recorded, and where. */
export interface SeedOrder {
  /** Location of the store. */
  readonly folder: string;
  readonly seed: number;
  readonly rate: number;
  /** Names of the coins that venues list. Default: all. */
  readonly coins?: readonly string[] | undefined;
  /** Id of the primary venue. */
  readonly venue: string;
  /** `fromMs <= t < toMs`. */
  readonly fromMs: number;
  readonly toMs: number;
}
