/** A level of a book with the total up to it, best price first. */
export interface Level {
  readonly price: number;
  readonly size: number;
  readonly sumUsd: number;
}

export function levelsOf(levels: readonly (readonly number[])[]): readonly Level[] {
  let sumUsd = 0;
  return levels.map(([price = 0, size = 0]) => {
    sumUsd += price * size;
    return { price, size, sumUsd };
  });
}

/** Volume available at this price or better, in USD. */
export function depthAt(levels: readonly Level[], isReached: (price: number) => boolean): number {
  return levels.findLast(({ price }) => isReached(price))?.sumUsd ?? 0;
}
