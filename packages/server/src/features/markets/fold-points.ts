/** For rates and billions of dollars alike: floating-point noise is smaller. */
const SUM_DIGITS = 15;
/** In the place of a venue, where several are one. */
const FOLDED = 'AGG';

export interface Point {
  readonly coin: string;
  readonly exchange: string;
  readonly value: number;
  readonly byExchange: Readonly<Record<string, number>>;
  readonly fetchedAt: number;
  /** Venues with an old value; absent if there are none. */
  readonly staleExchanges?: readonly string[];
}

export interface FoldedPoint extends Point {
  /** Mean of the values. */
  readonly mean: number;
  readonly count: number;
}

/** One point for each coin, over all venues, in the order of the coins. */
export function foldPoints(points: readonly Point[]): readonly FoldedPoint[] {
  const byCoin = new Map<string, Point[]>();
  for (const point of points) {
    const same = byCoin.get(point.coin);
    if (same) same.push(point);
    else byCoin.set(point.coin, [point]);
  }
  return [...byCoin].map(([coin, same]) => {
    const value = withoutNoise(same.reduce((sum, point) => sum + point.value, 0));
    const stale = same.flatMap(({ staleExchanges = [] }) => staleExchanges);
    return {
      coin,
      exchange: FOLDED,
      value,
      byExchange: Object.fromEntries(same.map((point) => [point.exchange, point.value])),
      fetchedAt: Math.max(...same.map(({ fetchedAt }) => fetchedAt)),
      mean: withoutNoise(value / same.length),
      count: same.length,
      ...(stale.length > 0 && { staleExchanges: stale }),
    };
  });
}

function withoutNoise(sum: number): number {
  return Number(sum.toPrecision(SUM_DIGITS));
}
