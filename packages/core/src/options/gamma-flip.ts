/** Spot is looked at from half to one and a half times what it is, … */
const FROM = 0.5;
const TO = 1.5;
/** … at this many points, then between two of them until the interval is as short as this. */
const POINTS = 201;
const EXACT_TO = 1e-10;

/**
 * Where a function of spot, as a multiple of today's, crosses zero: the crossing nearest to today's, as a multiple;
 * `undefined` when there is none. A zero that is touched but not crossed is none.
 */
export function nearestCrossing(total: (times: number) => number): number | undefined {
  let nearest: number | undefined;
  let before: { readonly times: number; readonly sign: number } | undefined;
  for (let i = 0; i < POINTS; i += 1) {
    const times = FROM + ((TO - FROM) * i) / (POINTS - 1);
    const sign = Math.sign(total(times));
    if (sign === 0) continue;
    if (before && before.sign !== sign) {
      const crossing = bisect(total, before.times, times);
      if (nearest === undefined || Math.abs(crossing - 1) < Math.abs(nearest - 1)) nearest = crossing;
    }
    before = { times, sign };
  }
  return nearest;
}

function bisect(total: (times: number) => number, from: number, to: number): number {
  const sign = Math.sign(total(from));
  let [low, high] = [from, to];
  while (high - low > EXACT_TO) {
    const middle = (low + high) / 2;
    if (Math.sign(total(middle)) === sign) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
