/** A row of a book. */
export interface BookLevel {
  readonly price: number;
  readonly size: number;
  /** Sum of all levels up to this one, in the currency of the prices. */
  readonly sumUsd: number;
  /** Another market would trade with it. */
  readonly isCrossed?: boolean;
}
