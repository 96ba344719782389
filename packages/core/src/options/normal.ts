const DENSITY_AT_ZERO = 1 / Math.sqrt(2 * Math.PI);
/** Below this the series loses digits to cancellation, and the fraction converges in `FRACTION_TERMS`. */
const TAIL = -3;
const FRACTION_TERMS = 100;

/** Density of the standard normal distribution. */
export function normalDensity(x: number): number {
  return DENSITY_AT_ZERO * Math.exp((-x * x) / 2);
}

/**
 * Probability that a standard normal is below `x`, with a relative error of at most 1e-12 in either tail: a power series
 * around zero, and Laplace's continued fraction far below it.
 */
export function normalBelow(x: number): number {
  if (x < TAIL) return tailBelow(x);
  if (x > -TAIL) return 1 - tailBelow(-x);
  let term = x;
  let sum = x;
  for (let odd = 3; Math.abs(term) > Number.EPSILON * Math.abs(sum); odd += 2) {
    term *= (x * x) / odd;
    sum += term;
  }
  return 0.5 + sum * normalDensity(x);
}

function tailBelow(x: number): number {
  if (x === Number.NEGATIVE_INFINITY) return 0;
  let fraction = 0;
  for (let n = FRACTION_TERMS; n > 0; n -= 1) fraction = n / (-x + fraction);
  return normalDensity(x) / (-x + fraction);
}
