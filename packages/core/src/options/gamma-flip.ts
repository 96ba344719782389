/** Range of spot that is searched, as a multiple of the current price. */
const FROM = 0.5;
const TO = 1.5;
/** Points of the search, and the interval at which it ends. */
const POINTS = 201;
const EXACT_TO = 1e-10;

/**
 * Where a function of spot, as a multiple of the current price, crosses zero: the nearest crossing as a multiple;
 * `undefined` if there is none. Touching zero is not a crossing.
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
